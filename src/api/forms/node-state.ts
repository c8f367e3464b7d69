// Forms of answers about the server itself (contract-core 20.3, contract-admin 1.1, 1.3).
import { anyObject, anything, flag, integer, list, object, text, type Form } from '../form.js';

export const healthForm: Form = object(
  'Health',
  {
    healthResults: list(anything, 'Always empty'),
    suppressedHealthResults: list(anything, 'Always empty'),
    healthy: flag('Whether the server can serve'),
    details: anyObject,
  },
  ['healthy'],
);

export const tokenRequestForm: Form = object('GenerateTokenRequest', {
  keyId: text('Id of an access key'),
  keySecret: text('Its secret'),
  expiration: integer('Milliseconds'),
});

export const tokenForm: Form = object('Token', { token: text() }, ['token']);

export const userInfoForm: Form = object(
  'UserInfo',
  {
    id: text('Id of the caller'),
    name: text('Name of the caller'),
    roles: list(anything),
    groups: list(anything),
    applicationUser: flag('Whether the caller is an application'),
  },
  ['id'],
);
