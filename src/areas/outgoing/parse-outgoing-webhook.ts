// Parsing and checking of outgoing webhooks.
import { wrongField } from '../../model/errors.js';
import { maskedSecret } from '../../model/kept-secrets.js';
import { RecordReader } from '../../model/record-reader.js';
import { changeEvents, type ChangeEvent } from '../../model/status-event.js';
import { parseTags } from '../../model/tag.js';
import type { OutgoingWebhookFields } from './outgoing-webhook.js';

const textCharsMax = 1000;
const urlCharsMax = 4000;
const namesMax = 100;
const headersMax = 50;
const secretBytesMin = 16;
const attempts = { fallback: 12, min: 1, max: 30 };
const retryDelay = { fallback: 5000, min: 100, max: 3_600_000 };
const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/;
const headerValue = /^[\t\x20-\x7e]{0,4000}$/;
/** Set by the server. */
const ownHeaders = /^(?:webhook-.*|content-.*|host|connection|transfer-encoding|user-agent)$/i;

/** Throws AppError 'bad-request' that names the field and the rule. */
export function parseOutgoingWebhook(input: unknown): OutgoingWebhookFields {
  const reader = new RecordReader(input, '');
  return {
    name: textOf(reader, 'name', textCharsMax),
    url: urlOf(textOf(reader, 'url', urlCharsMax)),
    events: eventsOf(reader),
    workflowNames: namesOf(reader, 'workflowNames'),
    workflowTags: tagsOf(reader),
    taskNames: namesOf(reader, 'taskNames'),
    active: reader.flag('active', true),
    attemptsMax: numberOf(reader, 'attemptsMax', attempts),
    retryDelayMs: numberOf(reader, 'retryDelayMs', retryDelay),
    headers: headersOf(reader),
    secretValue: secretOf(reader),
  };
}

function textOf(reader: RecordReader, name: string, charsMax: number): string {
  const text = reader.text(name)?.trim() ?? '';
  if (text === '') throw wrongField(name, 'is required');
  if (text.length > charsMax) throw wrongField(name, `may have ${charsMax} characters at most`);
  return text;
}

function urlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw wrongField('url', 'must be an address with http:// or https://');
  }
  if (url.username !== '' || url.password !== '') {
    throw wrongField('url', 'may not hold a user or password; use headers');
  }
  return text;
}

function eventsOf(reader: RecordReader): ChangeEvent[] {
  const names = [...new Set(reader.texts('events'))];
  if (names.length === 0) throw wrongField('events', 'must name at least one event');
  return names.map((name) => {
    const event = changeEvents.find((each) => each === name);
    if (event !== undefined) return event;
    throw wrongField('events', `'${name.slice(0, 60)}' is none of ${changeEvents.join(', ')}`);
  });
}

function namesOf(reader: RecordReader, field: string): string[] {
  const names = [...new Set(reader.texts(field))];
  if (names.length > namesMax) throw wrongField(field, `may have ${namesMax} entries at most`);
  if (names.some((name) => name === '' || name.length > textCharsMax)) {
    throw wrongField(field, `must hold names of 1 to ${textCharsMax} characters`);
  }
  return names;
}

function tagsOf(reader: RecordReader): OutgoingWebhookFields['workflowTags'] {
  const tags = reader.record('workflowTags', parseTags) ?? [];
  return tags.map(({ key, value }) => ({ key, value }));
}

function numberOf(
  reader: RecordReader,
  name: string,
  { fallback, min, max }: { fallback: number; min: number; max: number },
): number {
  const value = reader.integer(name, fallback);
  if (value < min || value > max) throw wrongField(name, `must be from ${min} to ${max}`);
  return value;
}

function headersOf(reader: RecordReader): { [name: string]: string } {
  if (reader.raw('headers') === undefined) return {};
  const headers = { ...reader.textMap('headers') };
  const names = Object.keys(headers);
  if (names.length > headersMax)
    throw wrongField('headers', `may have ${headersMax} entries at most`);
  for (const name of names) {
    const shown = name.slice(0, 60);
    if (!headerName.test(name)) throw wrongField(`headers.${shown}`, 'is no name of a header');
    if (ownHeaders.test(name)) throw wrongField(`headers.${shown}`, 'is set by the server');
    if (!headerValue.test(headers[name] as string)) {
      throw wrongField(`headers.${shown}`, 'must be printable ASCII of at most 4000 characters');
    }
  }
  return headers;
}

function secretOf(reader: RecordReader): string | undefined {
  const text = reader.text('secretValue') || undefined;
  if (text === undefined || text === maskedSecret) return text;
  if (text.length > textCharsMax || secretKeyOf(text).length < secretBytesMin) {
    const rule = `must have ${secretBytesMin} bytes at least and ${textCharsMax} characters at most`;
    throw wrongField('secretValue', rule);
  }
  return text;
}

const base64Secret = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/** The key of a secret: `whsec_` and base64, else the bytes of the text. */
export function secretKeyOf(secret: string): Buffer {
  const [, base64] = base64Secret.exec(secret) ?? [];
  return base64 === undefined ? Buffer.from(secret) : Buffer.from(base64, 'base64');
}
