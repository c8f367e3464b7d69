// Grants as callers write them and as they are shown (contract-admin 6).
import { rights, targetTypes, type Right } from '../../../access/access-rules.js';
import { parseRights, parseTargetType } from '../../../access/parse-rights.js';
import { subjectTypes } from '../../../access/resource-names.js';
import { flag, list, mapOf, object, oneOf, text, type Schema } from '../../../model/schema.js';
import { told } from '../../../model/field.js';
import { record, type Values } from '../../../model/record.js';
import { AppError } from '../../../model/errors.js';
import { refused, type RecordReader } from '../../../model/record-reader.js';
import { always, filled, given, shown, type Shown, type ValueOf } from '../fields.js';
import type { SubjectRef, SubjectType, TargetRef } from '../identities.js';
import { personIdOf } from '../../../model/person-id.js';

export const subjectRefSchema: Schema = object(
  'SubjectRef',
  { type: oneOf(subjectTypes), id: text('User id, group id or role name') },
  ['type', 'id'],
);
export const targetRefSchema: Schema = object(
  'TargetRef',
  { type: oneOf(targetTypes), id: text('Name or id of the resource') },
  ['type', 'id'],
);
const accessSchema: Schema = list(oneOf(rights));
const ref = { type: filled(''), id: filled('') };

const grantFields = {
  subject: given(subjectRefSchema, (reader, field): SubjectRef => {
    const { type, id } = refIn(reader, field);
    return parseSubject(type, id);
  }),
  target: given(targetRefSchema, (reader, field): TargetRef => {
    const { type, id } = refIn(reader, field);
    return parseTarget(type, id);
  }),
  access: given(accessSchema, (reader, field): readonly Right[] => {
    const access = parseRights(reader.raw(field) ?? [], field);
    if (access.length === 0) throw refused(field, 'must name at least one right');
    return access;
  }),
};
export type GrantRequest = Values<typeof grantFields>;
export const grantRequest = record('AuthorizationRequest', grantFields);

function refIn(reader: RecordReader, field: string): Values<typeof ref> {
  return record('', ref).parse(reader.raw(field) ?? null, field);
}

/** The type in any case (contract-admin 6.1). Throws AppError 'bad-request'. */
export function parseSubject(type: string, id: string): SubjectRef {
  const found: SubjectType | undefined = subjectTypes.find((each) => each === type.toUpperCase());
  if (found === undefined) {
    throw new AppError('bad-request', `subject.type must be one of ${subjectTypes.join(', ')}`);
  }
  return { type: found, id: found === 'USER' ? personIdOf(id) : id };
}

/** The id of a user in any case. Throws AppError 'bad-request'. */
export function parseTarget(text: string, id: string): TargetRef {
  const type = parseTargetType(text);
  return { type, id: type === 'USER' ? personIdOf(id) : id };
}

const onTarget = {
  target: always<TargetRef>(targetRefSchema),
  access: always<readonly Right[]>(accessSchema),
};
export const grant = shown('Grant', onTarget);
export const grantedAccess = shown('GrantedAccess', {
  ...onTarget,
  tag: told<string>(text('Tag that it comes through')),
});
export const grantedAccessResponse = shown('GrantedAccessResponse', {
  grantedAccess: always<readonly ValueOf<typeof grantedAccess>[]>(list(grantedAccess.schema)),
});

export const subjectGrant = shown('SubjectGrant', {
  subject: always<SubjectRef>(subjectRefSchema),
  ...onTarget,
  isOwner: always<boolean>(flag('Whether the subject has it as the creator')),
});
type SubjectGrant = ValueOf<typeof subjectGrant>;
export const subjectGrants: Shown<SubjectGrant[]> = {
  schema: list(subjectGrant.schema, 'By type and id of the resource'),
};

/** Subjects by right, or rights by subject. */
export const targetGrants: Shown<Readonly<Record<string, readonly (SubjectRef | Right)[]>>> = {
  schema: mapOf(list({ anyOf: [subjectRefSchema, oneOf(rights)] })),
};
