// Parsing and checking of webhook definitions (contract-admin 12.1).
import { wrongField } from '../../model/errors.js';
import type { Json, JsonMap } from '../../model/json.js';
import { textFrom } from '../../model/json-text.js';
import { present, RecordReader } from '../../model/record-reader.js';
import { parseTags, type Tag } from '../../model/tag.js';
import { verifierNames, type WebhookFields } from './webhook.js';

export interface WebhookRequest {
  readonly id?: string;
  readonly fields: WebhookFields;
  readonly tags?: readonly Tag[];
}

const textCharsMax = 1000;
const expressionCharsMax = 65_536;
const headersMax = 50;
/** Workflows that one event may start, or wake tasks of. */
export const webhookWorkflowsMax = 100;
/** Stands in a path. */
const idPattern = /^[\w.~-]{1,100}$/;
/** What a call can have as the name of a header; no other would ever verify one. */
const headerPattern = /^[\w!#$%&'*+.^`|~-]+$/;
const headerRule = 'is not the name of a header';
const evaluators = ['javascript', 'graaljs', 'js'];

/** Throws AppError 'bad-request' that names the field and the rule. */
export function parseWebhook(input: unknown): WebhookRequest {
  const reader = new RecordReader(input, '');
  const id = reader.text('id') || undefined;
  if (id !== undefined && !idPattern.test(id)) {
    throw wrongField('id', 'may only hold letters, digits and the characters _ - . ~');
  }
  const fields: WebhookFields = {
    name: requiredText(reader, 'name'),
    sourcePlatform: requiredText(reader, 'sourcePlatform'),
    verifier: verifierOf(reader),
    ...present({
      receiverWorkflowNamesToVersions: versionsOf(reader, 'receiverWorkflowNamesToVersions'),
      workflowsToStart: workflowsToStartOf(reader),
      expression: textOf(reader, 'expression', expressionCharsMax),
      evaluatorType: evaluatorOf(reader),
      headers: headersOf(reader),
      headerKey: headerKeyOf(reader),
      secretKey: textOf(reader, 'secretKey', expressionCharsMax),
      secretValue: textOf(reader, 'secretValue', expressionCharsMax),
    }),
  };
  checkTargets(fields);
  checkVerifier(fields);
  return { fields, ...present({ id, tags: reader.record('tags', parseTags) }) };
}

function requiredText(reader: RecordReader, name: string): string {
  const text = textOf(reader, name);
  if (text === undefined || text.trim() === '') throw wrongField(name, 'is required');
  return text;
}

/** undefined when absent or empty. */
function textOf(reader: RecordReader, name: string, charsMax = textCharsMax): string | undefined {
  const text = reader.text(name) || undefined;
  if (text !== undefined && text.length > charsMax) {
    throw wrongField(name, `may have ${charsMax} characters at most`);
  }
  return text;
}

function verifierOf(reader: RecordReader): WebhookFields['verifier'] {
  const verifier = reader.choice('verifier', verifierNames);
  if (verifier === undefined)
    throw wrongField('verifier', `must be one of ${verifierNames.join(', ')}`);
  return verifier;
}

function evaluatorOf(reader: RecordReader): string | undefined {
  const evaluator = textOf(reader, 'evaluatorType');
  if (evaluator !== undefined && !evaluators.includes(evaluator)) {
    throw wrongField('evaluatorType', `must be one of ${evaluators.join(', ')}`);
  }
  return evaluator;
}

function versionsOf(reader: RecordReader, name: string): JsonMap | undefined {
  const map = reader.optionalMap(name);
  if (map === undefined) return undefined;
  if (Object.keys(map).length > webhookWorkflowsMax) {
    throw wrongField(name, `may name ${webhookWorkflowsMax} workflows at most`);
  }
  checkVersions(name, map);
  return map;
}

function checkVersions(field: string, versions: JsonMap): void {
  for (const [workflow, version] of Object.entries(versions)) {
    if (isVersion(version)) continue;
    throw wrongField(`${field}.${workflow.slice(0, 100)}`, 'must be the number of a version');
  }
}

/** As a number, or as its digits: forms of some clients send texts. */
function isVersion(version: Json): boolean {
  if (typeof version === 'string') return /^\d{1,15}$/.test(version);
  return typeof version === 'number' && Number.isSafeInteger(version) && version >= 0;
}

const strategies = ['FAIL', 'RETURN_EXISTING', 'FAIL_ON_RUNNING'];

function workflowsToStartOf(reader: RecordReader): JsonMap | undefined {
  const map = reader.optionalMap('workflowsToStart');
  if (map === undefined) return undefined;
  if (Object.keys(map).length > webhookWorkflowsMax + 2) {
    throw wrongField('workflowsToStart', `may name ${webhookWorkflowsMax} workflows at most`);
  }
  const { idempotencyKey, idempotencyStrategy, ...versions } = map;
  checkVersions('workflowsToStart', versions);
  if (
    idempotencyKey !== undefined &&
    idempotencyKey !== null &&
    typeof idempotencyKey !== 'string'
  ) {
    throw wrongField('workflowsToStart.idempotencyKey', 'must be a text');
  }
  if (
    idempotencyStrategy !== undefined &&
    idempotencyStrategy !== null &&
    !strategies.includes(textFrom(idempotencyStrategy))
  ) {
    const rule = `must be one of ${strategies.join(', ')}`;
    throw wrongField('workflowsToStart.idempotencyStrategy', rule);
  }
  return map;
}

function headersOf(reader: RecordReader): { [name: string]: string } | undefined {
  if (reader.raw('headers') === undefined) return undefined;
  const headers = reader.mapOf('headers', (value, path) => {
    if (value === null) throw wrongField(path, 'must be a text');
    return new RecordReader({ value }, path).text('value') ?? '';
  });
  if (Object.keys(headers).length > headersMax) {
    throw wrongField('headers', `may have ${headersMax} entries at most`);
  }
  const odd = Object.keys(headers).find((name) => !headerPattern.test(name));
  if (odd !== undefined) throw wrongField(`headers.${odd.slice(0, 100)}`, headerRule);
  return { ...headers };
}

function headerKeyOf(reader: RecordReader): string | undefined {
  const name = textOf(reader, 'headerKey')?.trim() || undefined;
  if (name !== undefined && !headerPattern.test(name)) throw wrongField('headerKey', headerRule);
  return name;
}

function checkTargets(fields: WebhookFields): void {
  const { receiverWorkflowNamesToVersions, workflowsToStart, expression } = fields;
  const targets = [receiverWorkflowNamesToVersions, workflowsToStart, expression];
  if (targets.some((target) => target !== undefined)) return;
  throw wrongField(
    'workflowsToStart',
    'is required unless receiverWorkflowNamesToVersions or expression is given',
  );
}

/** Verifiers whose signature stands in the header that `headerKey` names. */
const keyedVerifiers: readonly string[] = ['SIGNATURE_BASED', 'HMAC_BASED', 'TWITTER'];

function checkVerifier({ verifier, headers, headerKey }: WebhookFields): void {
  if (verifier === 'HEADER_BASED' && Object.keys(headers ?? {}).length === 0) {
    throw wrongField('headers', 'must have at least one entry with the verifier HEADER_BASED');
  }
  if (keyedVerifiers.includes(verifier) && headerKey === undefined) {
    throw wrongField('headerKey', `is required with the verifier ${verifier}`);
  }
}
