// Outgoing webhooks: addresses that are told of changes of executions and tasks, and what is kept
// of each delivery. Operations of this server; no counterpart in the field's API.
import { list as listSchema, mapOf, oneOf, text as textSchema } from '../../model/schema.js';
import { tagListSchema, parseTags, type Tag } from '../../model/tag.js';
import { choice, custom, flag, integer, list, text, texts, time } from '../../model/field.js';
import { noun, type ShownOf, type StoredOf, type WrittenOf } from '../../declare/noun.js';
import { record } from '../../model/record.js';
import { wrongField } from '../../model/errors.js';
import type { Json } from '../../model/json.js';
import { textFrom } from '../../model/json-text.js';
import { maskedSecret } from '../../model/kept-secrets.js';
import { parseTexts, RecordReader } from '../../model/record-reader.js';
import { changeEvents, type ChangeEvent } from '../../model/status-event.js';
import type { TraceContext } from '../../telemetry/trace-context.js';

const textCharsMax = 1000;
const urlCharsMax = 4000;
const namesMax = 100;
const headersMax = 50;
const secretBytesMin = 16;
const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/;
const headerValue = /^[\t\x20-\x7e]{0,4000}$/;
/** Set by the server. */
const ownHeaders = /^(?:webhook-.*|content-.*|host|connection|transfer-encoding|user-agent)$/i;

export const outgoingWebhook = noun({
  title: 'OutgoingWebhook',
  labels: {
    url: 'Address',
    workflowNames: 'Workflows',
    workflowTags: 'Tags of the workflow',
    taskNames: 'Tasks',
    attemptsMax: 'Attempts',
    retryDelayMs: 'Pause before the second attempt, ms',
    secretValue: 'Secret',
  },
  written: {
    name: text({ required: true, trimmed: true, charsMax: textCharsMax }),
    url: text({
      about: 'Address that is told, with http:// or https://',
      required: true,
      trimmed: true,
      charsMax: urlCharsMax,
      check: checkUrl,
    }),
    events: custom(listSchema(oneOf(changeEvents), 'What it is told of'), eventsOf, {
      required: true,
    }),
    workflowNames: texts({
      about: 'Names of workflow definitions; empty: all',
      unique: true,
      itemsMax: namesMax,
      check: checkNames,
    }),
    workflowTags: custom(
      { ...tagListSchema, description: 'Tags of the definition, one of which it carries' },
      workflowTagsOf,
      { default: [] },
    ),
    taskNames: texts({
      about: 'Names of task definitions, for events of tasks; empty: all',
      unique: true,
      itemsMax: namesMax,
      check: checkNames,
    }),
    active: flag({ about: 'False: it is told nothing more', default: true }),
    attemptsMax: integer({
      about: 'Attempts before a delivery is given up',
      default: 12,
      min: 1,
      max: 30,
    }),
    retryDelayMs: integer({
      about: 'Pause before the second attempt, doubled for each further one',
      default: 5000,
      min: 100,
      max: 3_600_000,
    }),
  },
  // Sealed together; shown masked.
  beside: {
    headers: custom(
      mapOf(textSchema(), 'Sent with each delivery; values are masked in all answers'),
      headersOf,
      { default: {} },
    ),
    secretValue: text({
      about:
        'Key of the signatures: whsec_ and base64, or a text; drawn when absent; masked in all ' +
        'answers but that of the creation',
      isSecret: true,
      check: checkSecret,
    }),
  },
  kept: {
    id: text({ required: true }),
    createdBy: text({ default: '' }),
    actsAs: text({
      about: 'Whose rights it acts with: who changed it last; absent: who created it',
    }),
    createdAt: time({ required: true }),
  },
  hidden: { headerNames: texts(), sealed: text({ required: true }) },
  stored: {
    kind: 'outgoing-webhook',
    idOf: ({ id }) => id,
    sealedFor: ({ id }) => sealOwnerOf(id),
  },
});

export type OutgoingWebhookFields = WrittenOf<typeof outgoingWebhook>;
/** As it is stored: what is secret is sealed. */
export type OutgoingWebhook = StoredOf<typeof outgoingWebhook>;
export type ShownOutgoingWebhook = ShownOf<typeof outgoingWebhook>;

/** Whose sealed value it is, in the words of the secret box. */
export function sealOwnerOf(id: string): string {
  return `outgoing-webhook:${id}`;
}

function checkUrl(value: string, path: string): void {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw wrongField(path, 'must be an address with http:// or https://');
  }
  if (url.username !== '' || url.password !== '') {
    throw wrongField(path, 'may not hold a user or password; use headers');
  }
}

function eventsOf(value: unknown, path: string): readonly ChangeEvent[] {
  const names = [...new Set(parseTexts(value, path))];
  if (names.length === 0) throw wrongField(path, 'must name at least one event');
  return names.map((name) => {
    const event = changeEvents.find((each) => each === name);
    if (event !== undefined) return event;
    throw wrongField(path, `'${name.slice(0, 60)}' is none of ${changeEvents.join(', ')}`);
  });
}

function checkNames(names: readonly string[], path: string): void {
  if (names.some((name) => name === '' || name.length > textCharsMax)) {
    throw wrongField(path, `must hold names of 1 to ${textCharsMax} characters`);
  }
}

function workflowTagsOf(value: unknown, path: string): readonly Pick<Tag, 'key' | 'value'>[] {
  return parseTags(value, path).map(({ key, value: of }) => ({ key, value: of }));
}

function headersOf(value: unknown, path: string): { readonly [name: string]: string } {
  const headers = { ...new RecordReader({ headers: value }, '').textMap('headers') };
  const names = Object.keys(headers);
  if (names.length > headersMax) throw wrongField(path, `may have ${headersMax} entries at most`);
  for (const name of names) {
    const at = `${path}.${name.slice(0, 60)}`;
    if (!headerName.test(name)) throw wrongField(at, 'is no name of a header');
    if (ownHeaders.test(name)) throw wrongField(at, 'is set by the server');
    if (!headerValue.test(headers[name] as string)) {
      throw wrongField(at, 'must be printable ASCII of at most 4000 characters');
    }
  }
  return headers;
}

function checkSecret(secret: string, path: string): void {
  if (secret === '' || secret === maskedSecret) return;
  if (secret.length > textCharsMax || secretKeyOf(secret).length < secretBytesMin) {
    const rule = `must have ${secretBytesMin} bytes at least and ${textCharsMax} characters at most`;
    throw wrongField(path, rule);
  }
}

const base64Secret = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/** The key of a secret: `whsec_` and base64, else the bytes of the text. */
export function secretKeyOf(secret: string): Buffer {
  const [, base64] = base64Secret.exec(secret) ?? [];
  return base64 === undefined ? Buffer.from(secret) : Buffer.from(base64, 'base64');
}

/** One event on its way to one webhook. */
export interface Delivery {
  /** The same for each attempt. */
  readonly id: string;
  readonly webhookId: string;
  readonly eventType: string;
  /** Exactly what is sent. */
  readonly body: string;
  readonly createdAt: number;
  /** Attempts that have failed. */
  readonly attempts: number;
  /** Why the last one failed; '' before. */
  readonly lastError: string;
  /** Of the execution that it tells of, if that is traced; sent as headers. */
  readonly trace?: TraceContext;
}

export const attemptOutcomes = ['DELIVERED', 'RETRY', 'DEAD'] as const;

const eventType = custom(oneOf(changeEvents), textOf, { required: true });

/** One attempt, as the log keeps it. */
export const deliveryAttempt = record('OutgoingDeliveryAttempt', {
  deliveryId: text({ about: 'Header webhook-id of the delivery', required: true }),
  eventType,
  attempt: integer({ about: '1 for the first; 0: none was made', required: true }),
  time: time({ required: true }),
  durationMs: integer({ required: true }),
  status: integer({ about: 'HTTP status of the answer; 0: there was none', required: true }),
  outcome: choice(attemptOutcomes, { required: true }),
  error: text({ about: 'Why it failed', required: true }),
});
export type DeliveryAttempt = ReturnType<typeof deliveryAttempt.parse>;

/** The deliveries that are on their way to a webhook, and those that were tried. */
export const deliveryLog = record('OutgoingDeliveries', {
  waiting: integer({ about: 'Deliveries on their way', required: true }),
  attempts: list(deliveryAttempt, { about: 'Newest first' }),
});
export type DeliveryLog = ReturnType<typeof deliveryLog.parse>;

/** A delivery that was given up. */
export interface DeadLetter extends Delivery {
  readonly diedAt: number;
}

export const deadLetter = record('OutgoingDeadLetter', {
  deliveryId: text({ required: true }),
  eventType,
  body: text({ about: 'JSON text that was sent', required: true }),
  createdAt: time({ required: true }),
  diedAt: time({ required: true }),
  attempts: integer({ required: true }),
  lastError: text({ required: true }),
});
export type ShownDeadLetter = ReturnType<typeof deadLetter.parse>;

function textOf(value: unknown): string {
  return textFrom(value as Json);
}

/** The body of a delivery. `content` is what listeners are told. */
export function bodyOf(type: string, timestamp: number, content: Json): Json {
  return { type, timestamp: new Date(timestamp).toISOString(), data: content };
}
