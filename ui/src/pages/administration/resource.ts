// The declaration of an administration page: one list, one detail, one form, from one declaration.
import type { ComponentType } from 'react';
import type { Method } from '../../api/client';
import type { JsonObject } from '../../api/types';
import type { Right } from '../../state/rights';
import { moment } from '../../state/format';
import type { FormSchema } from '../../forms/schema-form';
import type { Related } from './related-table';

export interface ResourceCall {
  readonly method: Method;
  readonly path: string;
  readonly body?: unknown;
}

export interface NeededRight {
  readonly type: string;
  readonly id: string;
  readonly right: Right;
}

export interface ResourceAction {
  readonly title: string;
  readonly effect: string;
  readonly danger?: boolean;
  /** Whether it is offered for this record. */
  readonly fits?: (record: JsonObject) => boolean;
  /** The right that it takes; absent: roles alone decide. */
  readonly needs?: (record: JsonObject) => NeededRight;
  /** The form that is filled in before. */
  readonly form?: FormSchema;
  /** `typed`: what the form says. */
  readonly call: (record: JsonObject, typed: JsonObject) => ResourceCall;
  /** Title above its answer, such as a new secret; absent: the answer is not shown. */
  readonly answer?: string;
}

export type ResourceColumn = readonly [
  title: string,
  member: string,
  shown?: (text: string) => string,
];

export interface Resource {
  readonly title: string;
  /** One of them, in a sentence. */
  readonly one: string;
  /** The name of its type in grants; absent: roles alone decide. */
  readonly target?: string;
  /** Name of a record in grants, where it is not its key. */
  readonly targetId?: (record: JsonObject) => string;
  readonly list: ResourceCall;
  /** Makes records of what the list answers. */
  readonly records?: (answer: unknown) => readonly JsonObject[];
  /** Member that names a record. */
  readonly key: string;
  /** Members shown in the list, as they are or as `shown` says them. */
  readonly columns: readonly ResourceColumn[];
  /** A second line under the name: what holds it up, or else what it is for. */
  readonly second?: (record: JsonObject) => string;
  readonly form?: FormSchema;
  /** The record that the command beside an empty list makes; absent: it asks for the list. */
  readonly first?: JsonObject;
  /** Absent: nothing can be written. */
  readonly save?: (value: JsonObject, key: string) => ResourceCall;
  /** The answer to a new one is shown once, as it holds a secret. */
  readonly showsSaved?: boolean;
  /** A save that keeps what is there, as a further version. */
  readonly saveVersion?: (value: JsonObject) => ResourceCall;
  readonly remove?: (key: string, record: JsonObject) => ResourceCall;
  readonly actions?: readonly ResourceAction[];
  /** Further answers about a record, each a table. */
  readonly related?: (key: string, record: JsonObject) => readonly Related[];
  /** A further part of its page, above the list. */
  readonly aside?: ComponentType;
  /** A further part of its drawer. */
  readonly detail?: ComponentType<{ readonly record: JsonObject }>;
  /** Tries a record, in its drawer and below its form, before it is saved. */
  readonly trial?: ComponentType<{ readonly record: JsonObject }>;
  readonly empty: string;
}

/** A member of a record as text; members of members with dots. */
export function memberText(record: JsonObject, member: string): string {
  let value: unknown = record;
  for (const name of member.split('.')) value = (value as JsonObject | undefined)?.[name];
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(nameOf).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A member as a list shows it: yes and no, and moments as people read them. */
export function shownText(record: JsonObject, [, member, shown]: ResourceColumn): string {
  const text = memberText(record, member);
  if (shown !== undefined) return shown(text);
  if (text === 'true') return 'yes';
  if (text === 'false') return 'no';
  return /^1\d{12}$/.test(text) ? moment(Number(text)) : text;
}

function nameOf(value: unknown): string {
  if (value === null || typeof value !== 'object') return String(value);
  const { name, id, key, action } = value as JsonObject;
  return String(name ?? id ?? key ?? action ?? JSON.stringify(value));
}
