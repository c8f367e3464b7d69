// Forms of users, groups, roles, applications, keys and grants (contract-admin 2 to 6).
import { rights, targetTypes } from '../../access/access-rules.js';
import { subjectTypes } from '../../access/resource-names.js';
import {
  anyObject,
  flag,
  integer,
  list,
  mapOf,
  object,
  oneOf,
  text,
  time,
  type Form,
} from '../../api/form.js';
import { tagListForm } from '../../api/tag-routes.js';

export const messageForm: Form = object('Message', { message: text('What was done') }, ['message']);

export const roleForm: Form = object(
  'Role',
  {
    name: text('Name'),
    permissions: list(object('Permission', { name: text('Name') }, ['name'])),
  },
  ['name', 'permissions'],
);

export const customRoleRequestForm: Form = object(
  'CustomRoleRequest',
  {
    name: text('Name; in a PUT the one of the path counts'),
    permissions: list(text('RIGHT_TYPE, such as READ_WORKFLOW_DEF')),
  },
  ['permissions'],
);

/** One name or several. */
export const namesForm: Form = { anyOf: [text(), list(text())] };
const accessForm: Form = list(oneOf(rights));

export const groupForm: Form = object(
  'Group',
  {
    id: text('Name'),
    description: text('For people'),
    roles: list(roleForm),
    defaultAccess: mapOf(accessForm, 'Rights on what members create, by type'),
    contactInformation: anyObject,
  },
  ['id', 'description', 'roles', 'defaultAccess'],
);

export const groupRequestForm: Form = object(
  'UpsertGroupRequest',
  {
    description: text('For people'),
    roles: namesForm,
    defaultAccess: mapOf(accessForm, 'Rights on what members create, by type'),
    contactInformation: anyObject,
  },
  ['description'],
);

export const userForm: Form = object(
  'ConductorUser',
  {
    id: text('Id in lower case; app:<id> for applications'),
    name: text('Name to show'),
    roles: list(roleForm),
    groups: list(groupForm),
    uuid: text('Absent for applications'),
    contactInformation: anyObject,
    applicationUser: flag('Whether it is an application'),
    orkesWorkersApp: flag('Always false'),
    orkesApiGateway: flag('Always false'),
    orkesApp: flag('Always false'),
    encryptedId: flag('Always false'),
    encryptedIdDisplayValue: text('The id'),
  },
  ['id', 'name', 'roles', 'groups', 'applicationUser'],
);

export const userRequestForm: Form = object(
  'UpsertUserRequest',
  {
    name: text('Name to show'),
    roles: namesForm,
    groups: namesForm,
    contactInformation: anyObject,
    password: text('New password; never shown'),
  },
  ['name'],
);

const subjectRefForm: Form = object(
  'SubjectRef',
  { type: oneOf(subjectTypes), id: text('User id, group id or role name') },
  ['type', 'id'],
);
const targetRefForm: Form = object(
  'TargetRef',
  { type: oneOf(targetTypes), id: text('Name or id of the resource') },
  ['type', 'id'],
);

export const authorizationRequestForm: Form = object(
  'AuthorizationRequest',
  { subject: subjectRefForm, target: targetRefForm, access: accessForm },
  ['subject', 'target', 'access'],
);

export const grantListForm: Form = list(
  object('Grant', { target: targetRefForm, access: accessForm }, ['target', 'access']),
);

export const grantedAccessForm: Form = object(
  'GrantedAccessResponse',
  {
    grantedAccess: list(
      object(
        'GrantedAccess',
        { target: targetRefForm, access: accessForm, tag: text('Tag that it comes through') },
        ['target', 'access'],
      ),
    ),
  },
  ['grantedAccess'],
);

/** Subjects by right, or rights by subject. */
export const targetGrantsForm: Form = mapOf(list({ anyOf: [subjectRefForm, oneOf(rights)] }));

export const checkedPermissionsForm: Form = mapOf(flag(), 'Whether each right is held');

export const explainedAccessForm: Form = list(
  object(
    'ExplainedRight',
    {
      right: oneOf(rights),
      held: flag('Whether it is held'),
      by: list(
        object(
          'RightSource',
          {
            kind: oneOf(['role', 'grant']),
            subject: subjectRefForm,
            role: text('The role; absent for grants'),
            target: targetRefForm,
          },
          ['kind', 'subject'],
        ),
        'Roles and grants that give it',
      ),
    },
    ['right', 'held', 'by'],
  ),
);

export const allGrantsForm: Form = list(
  object(
    'SubjectGrant',
    {
      subject: subjectRefForm,
      target: targetRefForm,
      access: accessForm,
      isOwner: flag('Whether the subject has it as the creator'),
    },
    ['subject', 'target', 'access', 'isOwner'],
  ),
  'By type and id of the resource',
);

export const applicationForm: Form = object(
  'Application',
  {
    id: text('UUID'),
    name: text('Name'),
    createdBy: text('Subject id'),
    updatedBy: text('Subject id'),
    createTime: time(),
    updateTime: time(),
    tags: tagListForm,
  },
  ['id', 'name', 'createTime', 'updateTime'],
);

export const applicationRequestForm: Form = object('ApplicationRequest', { name: text('Name') }, [
  'name',
]);

export const createdKeyForm: Form = object(
  'CreatedAccessKey',
  {
    id: text('Id'),
    secret: text('Shown this one time only'),
    expiresAt: time('From then on it does not count; absent: it has no end'),
  },
  ['id', 'secret'],
);

export const accessKeyForm: Form = object(
  'AccessKey',
  {
    id: text('Id'),
    createdAt: time(),
    status: oneOf(['ACTIVE', 'INACTIVE']),
    expiresAt: time('From then on it does not count; absent: it has no end'),
    lastUsedAt: time('To the hour; absent: it was never used'),
  },
  ['id', 'createdAt', 'status'],
);

export const tokenRequestForm: Form = object('TokenRequest', {
  keyId: text('Id of an access key'),
  keySecret: text('Its secret'),
  email: text('Id of a user, in place of a key'),
  password: text('Password of the user'),
  code: text('One-time or recovery code of a user with a second factor'),
  expiration: integer('Life of the token in ms; negative: never expires'),
});

export const tokenForm: Form = object('Token', { token: text('For the header X-Authorization') }, [
  'token',
]);
