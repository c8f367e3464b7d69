// An invitation as administrators write it, as it is stored and as it is shown, and its acceptance.
import { list, text, time, type Shape } from '../../../model/schema.js';
import { text as textField } from '../../../model/field.js';
import { noun, type ShownOf, type StoredOf } from '../../../declare/noun.js';
import { record, type Values } from '../../../model/record.js';
import { RecordReader, refused } from '../../../model/record-reader.js';
import {
  always,
  checkId,
  filled,
  given,
  ifThere,
  nameOf,
  namesSchema,
  shown,
  type Shown,
  type ValueOf,
} from '../fields.js';
import { rolesSchema, rolesIn, type RoleNames } from '../roles/role.js';
import { groupIdsIn } from '../users/user.js';
import { personIdOf } from '../../../model/person-id.js';

const fieldsOf = (known: RoleNames) => ({
  email: given(text('Id of the account to be'), (reader, field) =>
    personIdOf(checkId(reader.text(field) ?? '', field)),
  ),
  /** Absent or empty: the email address. */
  name: {
    ...textField({ about: 'Name to show' }),
    read: (reader: RecordReader, field: string) =>
      reader.text(field) ? nameOf(reader, field) : undefined,
  },
  roles: ifThere<readonly string[]>(rolesSchema, rolesIn(known)),
  groups: ifThere<readonly string[]>(namesSchema, groupIdsIn),
});
export type InvitationRequest = Values<ReturnType<typeof fieldsOf>>;

/** `known`: the roles that there are. */
export function invitationRequest(known: RoleNames): Shape<InvitationRequest> {
  const shape = record('InvitationRequest', fieldsOf(known));
  return {
    schema: shape.schema,
    parse(input) {
      const fields = shape.parse(input);
      const reader = new RecordReader(input, '');
      if (reader.has('password')) throw refused('password', 'is set by who is invited');
      // An invitation keeps none, but a malformed one is refused as in the request of a user.
      if (reader.has('contactInformation')) reader.textMap('contactInformation');
      return fields;
    },
  };
}

const kept = {
  id: always<string>(text('Id')),
  email: always<string>(text('Id of the account to be')),
  name: always<string>(text('Name to show')),
  roles: always<readonly string[]>(list(text())),
  groups: always<readonly string[]>(list(text())),
  createdBy: always<string>(text('Subject id')),
  createdAt: always<number>(time()),
  until: always<number>(time('From then on it does not count')),
};

/** An account that somebody may make. */
export const invitation = noun({
  title: 'Invitation',
  written: {},
  kept,
  /** As `hashKeySecret` makes it. */
  hidden: { secretHash: always<string>(text()) },
  stored: { kind: 'invitation', idOf: ({ id }) => id },
});
export type Invitation = StoredOf<typeof invitation>;
export const shownInvitation: Shown<ShownOf<typeof invitation>> = invitation.shown;

export const createdInvitation = shown('CreatedInvitation', {
  ...kept,
  token: always<string>(text('For who is invited; shown this one time only')),
});
export type CreatedInvitation = ValueOf<typeof createdInvitation>;

export const acceptance = record('InvitationAcceptance', {
  token: filled('Of the invitation'),
  password: filled('Of the new account'),
});
export const acceptedInvitation = shown('AcceptedInvitation', {
  id: always<string>(text('User id')),
});
