// Webhook definitions (contract-admin 12.1): which platform may call in, how its calls are
// verified, and which workflows they start or wake. A webhook that could never verify a call or
// start a workflow is refused.
import { anyObject, mapOf, text as textSchema } from '../../model/schema.js';
import { choice, custom, filledText, flag, list, text, texts, time } from '../../model/field.js';
import { noun, type ShownOf, type StoredOf, type WrittenOf } from '../../declare/noun.js';
import { record } from '../../model/record.js';
import { evaluatorField, tagged } from '../../declare/resource-fields.js';
import { wrongField } from '../../model/errors.js';
import type { Json, JsonMap } from '../../model/json.js';
import { textFrom } from '../../model/json-text.js';
import { RecordReader } from '../../model/record-reader.js';

export const verifierNames = [
  'SLACK_BASED',
  'SIGNATURE_BASED',
  'HEADER_BASED',
  'STRIPE',
  'TWITTER',
  'HMAC_BASED',
  'SENDGRID',
] as const;
export type VerifierName = (typeof verifierNames)[number];

const textCharsMax = 1000;
const expressionCharsMax = 65_536;
const headersMax = 50;
/** Workflows that one event may start, or wake tasks of. */
export const webhookWorkflowsMax = 100;
/** The names that a header of a call can have; no other would ever verify one. */
const headerPattern = /^[\w!#$%&'*+.^`|~-]+$/;
const headerRule = 'is not the name of a header';
const strategies = ['FAIL', 'RETURN_EXISTING', 'FAIL_ON_RUNNING'];

/** One call and what became of it (contract-admin 12.1). */
const historyEntry = record('WebhookExecutionHistory', {
  eventId: text({ required: true }),
  matched: flag({ about: 'A task was completed or a workflow started', required: true }),
  workflowIds: texts(),
  payload: text({ about: 'JSON text of the call', required: true }),
  reasons: custom(
    { type: 'array', items: textSchema('Why something was not started or woken') },
    textsOf,
  ),
  timeStamp: time({ about: 'Epoch ms', required: true }),
});
export type WebhookHistoryEntry = ReturnType<typeof historyEntry.parse>;

export const webhook = noun({
  title: 'WebhookConfig',
  labels: {
    receiverWorkflowNamesToVersions: 'Receivers',
    workflowsToStart: 'Starts',
    sourcePlatform: 'Source',
    evaluatorType: 'Language of the expression',
    headerKey: 'Header of the signature',
    secretKey: 'Public key',
    secretValue: 'Secret',
    urlVerified: 'Verified',
  },
  written: {
    name: text({ required: true, charsMax: textCharsMax }),
    receiverWorkflowNamesToVersions: custom(
      mapOf(
        { type: ['integer', 'string'] },
        'Workflows whose waiting tasks receive the event: name to version',
      ),
      receiversOf,
    ),
    workflowsToStart: custom(
      {
        ...anyObject,
        description:
          'Workflows to start: name to version; also idempotencyKey, idempotencyStrategy',
      },
      workflowsToStartOf,
    ),
    expression: filledText({ about: 'Script that gives both maps', charsMax: expressionCharsMax }),
    evaluatorType: evaluatorField(),
    sourcePlatform: text({ about: 'Free text', required: true, charsMax: textCharsMax }),
    verifier: choice(verifierNames, { required: true }),
    headerKey: filledText({
      about: 'Header that holds the signature',
      trimmed: true,
      charsMax: textCharsMax,
      pattern: headerPattern,
      rule: headerRule,
    }),
  },
  beside: {
    // Chosen at the creation; later the path names it.
    id: filledText({
      about: 'Chosen by the caller, or drawn',
      // Stands in a path.
      pattern: /^[\w.~-]{1,100}$/,
      rule: 'may only hold letters, digits and the characters _ - . ~',
    }),
    // The next three are sealed together.
    headers: custom(
      mapOf(textSchema(), 'Headers that a call must carry, for HEADER_BASED'),
      headersOf,
    ),
    secretKey: filledText({ about: 'Public key, for SENDGRID', charsMax: expressionCharsMax }),
    secretValue: filledText({
      about: 'Masked in all answers but that of the creation',
      isSecret: true,
      charsMax: expressionCharsMax,
    }),
    ...tagged,
  },
  kept: {
    id: text({ required: true }),
    urlVerified: flag({ about: 'A call was verified', required: true }),
    createdBy: text({ required: true, mayBeEmpty: true }),
    actsAs: text({
      about: 'Whose rights it acts with: who changed it last; absent: who created it',
    }),
  },
  hidden: { createdAt: time({ required: true }), sealed: text({ required: true }) },
  derived: { webhookExecutionHistory: list(historyEntry, { about: 'Newest first' }) },
  check(fields, pathOf) {
    checkTargets(fields, pathOf);
    checkVerifier(fields, pathOf);
  },
  stored: {
    kind: 'webhook',
    idOf: ({ id }) => id,
    sealedFor: ({ id }) => sealOwnerOf(id),
  },
});

/** The part of a webhook that a caller writes; secrets in clear. */
export type WebhookFields = WrittenOf<typeof webhook>;
/** As it is stored. */
export type Webhook = StoredOf<typeof webhook>;
export type ShownWebhook = ShownOf<typeof webhook>;

/** The facts that verify a call. */
export type VerifierConfig = Pick<
  WebhookFields,
  'verifier' | 'headers' | 'headerKey' | 'secretKey' | 'secretValue'
>;

/** Whose sealed value it is, in the words of the secret box. */
export function sealOwnerOf(id: string): string {
  return `webhook:${id}`;
}

/** A call that was verified and stored, and is to be dealt with. */
export interface WebhookEvent {
  readonly id: string;
  readonly webhookId: string;
  /** Epoch ms. */
  readonly receivedAt: number;
  readonly headers: { readonly [name: string]: readonly string[] };
  readonly requestParams: { readonly [name: string]: readonly string[] };
  /** Raw text of the body. */
  readonly body: string;
  readonly contentType: string;
}

type PathOf = (name: string) => string;
type Targets = Pick<
  WebhookFields,
  'receiverWorkflowNamesToVersions' | 'workflowsToStart' | 'expression'
>;

function checkTargets(fields: Targets, pathOf: PathOf): void {
  const { receiverWorkflowNamesToVersions, workflowsToStart, expression } = fields;
  const targets = [receiverWorkflowNamesToVersions, workflowsToStart, expression];
  if (targets.some((target) => target !== undefined)) return;
  throw wrongField(
    pathOf('workflowsToStart'),
    'is required unless receiverWorkflowNamesToVersions or expression is given',
  );
}

/** Verifiers whose signature stands in the header that `headerKey` names. */
const keyedVerifiers: readonly string[] = ['SIGNATURE_BASED', 'HMAC_BASED', 'TWITTER'];

/** Verifiers that read `headerKey`; STRIPE has a header of its own without it. */
export const headerKeyReaders: readonly string[] = [...keyedVerifiers, 'STRIPE'];

function checkVerifier({ verifier, headers, headerKey }: VerifierConfig, pathOf: PathOf): void {
  if (verifier === 'HEADER_BASED' && Object.keys(headers ?? {}).length === 0) {
    throw wrongField(
      pathOf('headers'),
      'must have at least one entry with the verifier HEADER_BASED',
    );
  }
  if (keyedVerifiers.includes(verifier) && headerKey === undefined) {
    throw wrongField(pathOf('headerKey'), `is required with the verifier ${verifier}`);
  }
}

function receiversOf(value: unknown, path: string): JsonMap {
  const map = mapFrom(value, path);
  if (Object.keys(map).length > webhookWorkflowsMax) {
    throw wrongField(path, `may name ${webhookWorkflowsMax} workflows at most`);
  }
  checkVersions(path, map);
  return map;
}

function workflowsToStartOf(value: unknown, path: string): JsonMap {
  const map = mapFrom(value, path);
  if (Object.keys(map).length > webhookWorkflowsMax + 2) {
    throw wrongField(path, `may name ${webhookWorkflowsMax} workflows at most`);
  }
  const { idempotencyKey = null, idempotencyStrategy = null, ...versions } = map;
  checkVersions(path, versions);
  if (idempotencyKey !== null && typeof idempotencyKey !== 'string') {
    throw wrongField(`${path}.idempotencyKey`, 'must be a text');
  }
  if (idempotencyStrategy !== null && !strategies.includes(textFrom(idempotencyStrategy))) {
    throw wrongField(`${path}.idempotencyStrategy`, `must be one of ${strategies.join(', ')}`);
  }
  return map;
}

function checkVersions(path: string, versions: JsonMap): void {
  for (const [workflow, version] of Object.entries(versions)) {
    if (isVersion(version)) continue;
    throw wrongField(`${path}.${workflow.slice(0, 100)}`, 'must be the number of a version');
  }
}

/** As a number, or as its digits: forms of some clients send texts. */
function isVersion(version: Json): boolean {
  if (typeof version === 'string') return /^\d{1,15}$/.test(version);
  return typeof version === 'number' && Number.isSafeInteger(version) && version >= 0;
}

function headersOf(value: unknown, path: string): { readonly [name: string]: string } {
  const headers = new RecordReader({ headers: value }, '').mapOf('headers', (each, at) => {
    if (each === null) throw wrongField(at, 'must be a text');
    return new RecordReader({ value: each }, at).text('value') ?? '';
  });
  if (Object.keys(headers).length > headersMax) {
    throw wrongField(path, `may have ${headersMax} entries at most`);
  }
  const odd = Object.keys(headers).find((name) => !headerPattern.test(name));
  if (odd !== undefined) throw wrongField(`${path}.${odd.slice(0, 100)}`, headerRule);
  return { ...headers };
}

function mapFrom(value: unknown, path: string): JsonMap {
  return new RecordReader({ [path]: value }, '').map(path);
}

function textsOf(value: unknown, path: string): readonly string[] {
  return new RecordReader({ [path]: value }, '').texts(path);
}
