// Endpoints of applications, their roles and their access keys (contract-admin 2.3).
import { requireRight, type AccessRules } from '../../../access/access-rules.js';
import type { Applications } from './applications.js';
import { parseApplicationName } from '../parse-identity.js';
import { refused } from '../../../model/record-reader.js';
import { body, query, replies, type AccessRule, type Endpoint } from '../../../api/endpoint.js';
import { integer, list } from '../../../api/form.js';
import { empty, json } from '../../../api/route.js';
import {
  accessKeyForm,
  applicationForm,
  applicationRequestForm,
  createdKeyForm,
  messageForm,
} from '../forms.js';

/** Ten years. */
const keySecondsMax = 315_360_000;

const base = '/api/applications';
const updates = (id = 'id'): AccessRule => ({
  rule: 'target',
  type: 'APPLICATION',
  right: 'UPDATE',
  id,
});
const reads: AccessRule = { rule: 'target', type: 'APPLICATION', right: 'READ', id: 'id' };

export function applicationRoutes(applications: Applications, access: AccessRules): Endpoint[] {
  return [
    ...applicationRecordRoutes(applications, access),
    ...roleRoutes(applications),
    ...keyRoutes(applications, access),
  ];
}

function applicationRecordRoutes(applications: Applications, access: AccessRules): Endpoint[] {
  return [
    {
      method: 'GET',
      pattern: base,
      name: 'listApplications',
      summary: 'Lists the applications that the caller may read.',
      access: { rule: 'each', type: 'APPLICATION', right: 'READ' },
      parameters: {},
      body: null,
      replies: replies(list(applicationForm)),
      errors: [],
      handle: ({ caller }) => {
        const readable = applications
          .list()
          .filter(({ id }) => access.may(caller, 'READ', { type: 'APPLICATION', id }));
        return json(readable.map((each) => applications.toJson(each)));
      },
    },
    {
      method: 'POST',
      pattern: base,
      name: 'createApplication',
      summary: 'Creates an application; the caller owns it.',
      access: { rule: 'permission', anyOf: ['CREATE_APPLICATION', 'APPLICATION_MANAGEMENT'] },
      parameters: {},
      body: body(applicationRequestForm),
      replies: replies(applicationForm),
      errors: [],
      handle: async (request) => {
        const name = parseApplicationName(request.json());
        const created = await applications.create(request.caller, name);
        request.noteObject(created.id);
        return json(applications.toJson(created));
      },
    },
    {
      method: 'GET',
      pattern: `${base}/:id`,
      name: 'getApplication',
      summary: 'Shows an application.',
      access: reads,
      parameters: {},
      body: null,
      replies: replies(applicationForm),
      errors: ['not-found'],
      handle: (request) => json(applications.toJson(applications.get(request.param('id')))),
    },
    {
      method: 'PUT',
      pattern: `${base}/:id`,
      name: 'updateApplication',
      summary: 'Renames an application.',
      access: updates(),
      parameters: {},
      body: body(applicationRequestForm),
      replies: replies(applicationForm),
      errors: ['not-found'],
      handle: async (request) => {
        const name = parseApplicationName(request.json());
        const renamed = await applications.rename(request.caller, request.param('id'), name);
        return json(applications.toJson(renamed));
      },
    },
    {
      method: 'DELETE',
      pattern: `${base}/:id`,
      name: 'deleteApplication',
      summary: 'Deletes an application with its keys and grants.',
      access: { rule: 'target', type: 'APPLICATION', right: 'DELETE', id: 'id' },
      parameters: {},
      body: null,
      replies: replies(messageForm),
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        await applications.delete(request.param('id'));
        return json({ message: `Deleted Application '${request.param('id')}'` });
      },
    },
  ];
}

function roleRoutes(applications: Applications): Endpoint[] {
  return [
    {
      method: 'POST',
      pattern: `${base}/:applicationId/roles/:role`,
      name: 'addApplicationRole',
      summary: 'Gives an application a role.',
      access: updates('applicationId'),
      parameters: {},
      body: null,
      replies: replies(null),
      errors: ['not-found'],
      handle: async (request) => {
        const id = request.param('applicationId');
        await applications.addRole(request.caller, id, request.param('role'));
        return empty();
      },
    },
    {
      method: 'DELETE',
      pattern: `${base}/:applicationId/roles/:role`,
      name: 'removeApplicationRole',
      summary: 'Takes a role from an application.',
      access: updates('applicationId'),
      parameters: {},
      body: null,
      replies: replies(null),
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        const id = request.param('applicationId');
        await applications.removeRole(request.caller, id, request.param('role'));
        return empty();
      },
    },
  ];
}

function keyRoutes(applications: Applications, access: AccessRules): Endpoint[] {
  return [
    {
      method: 'GET',
      pattern: `${base}/key/:accessKeyId`,
      name: 'getApplicationOfKey',
      summary: 'Shows the application that owns an access key.',
      access: { rule: 'each', type: 'APPLICATION', right: 'READ' },
      parameters: {},
      body: null,
      replies: replies(applicationForm),
      errors: ['not-found'],
      handle: (request) => {
        const owner = applications.ownerOfKey(request.param('accessKeyId'));
        requireRight(access, request.caller, 'READ', { type: 'APPLICATION', id: owner.id });
        return json(applications.toJson(owner));
      },
    },
    {
      method: 'POST',
      pattern: `${base}/:id/accessKeys`,
      name: 'createAccessKey',
      summary: 'Creates an access key; its secret is shown this one time.',
      access: updates(),
      parameters: {
        expiresInSeconds: query(integer('How long the key counts; absent: it has no end')),
      },
      body: null,
      replies: replies(createdKeyForm),
      errors: ['not-found'],
      handle: async (request) => {
        const seconds = request.queryLong('expiresInSeconds');
        if (seconds !== undefined && (seconds < 1 || seconds > keySecondsMax)) {
          throw refused('expiresInSeconds', `must be between 1 and ${keySecondsMax}`);
        }
        const lifeMs = seconds === undefined ? undefined : seconds * 1000;
        const key = await applications.createKey(request.param('id'), lifeMs);
        request.noteObject(key.id);
        return json(key);
      },
    },
    {
      method: 'GET',
      pattern: `${base}/:id/accessKeys`,
      name: 'listAccessKeys',
      summary: 'Lists the access keys of an application.',
      access: reads,
      parameters: {},
      body: null,
      replies: replies(list(accessKeyForm)),
      errors: ['not-found'],
      handle: (request) => json(applications.keys(request.param('id'))),
    },
    {
      method: 'POST',
      pattern: `${base}/:applicationId/accessKeys/:keyId/status`,
      name: 'toggleAccessKey',
      summary: 'Makes an active access key inactive and the reverse.',
      access: updates('applicationId'),
      parameters: {},
      body: null,
      replies: replies(accessKeyForm),
      errors: ['not-found', 'conflict'],
      handle: async (request) =>
        json(await applications.toggleKey(request.param('applicationId'), request.param('keyId'))),
    },
    {
      method: 'DELETE',
      pattern: `${base}/:applicationId/accessKeys/:keyId`,
      name: 'deleteAccessKey',
      summary: 'Deletes an access key.',
      access: updates('applicationId'),
      parameters: {},
      body: null,
      replies: replies(messageForm),
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        await applications.deleteKey(request.param('applicationId'), request.param('keyId'));
        return json({ message: `Deleted Access key '${request.param('keyId')}'` });
      },
    },
  ];
}
