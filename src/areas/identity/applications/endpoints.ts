// Endpoints of applications, their roles and their access keys (contract-admin 2.3).
import {
  query,
  endpoint,
  listOf,
  nothing,
  type AccessRule,
  type Endpoint,
} from '../../../api/endpoint.js';
import { integer } from '../../../model/schema.js';
import { message, type Shown } from '../fields.js';
import {
  accessKey,
  application,
  createdKey,
  type ShownApplication,
  type ShownKey,
} from './application.js';
import { requireRight, type AccessRules } from '../../../access/access-rules.js';
import { listedResource } from '../../resource.js';
import type { Applications } from './applications.js';
import { refused } from '../../../model/record-reader.js';

/** Ten years. */
const keySecondsMax = 315_360_000;

const shownApplication: Shown<ShownApplication> = application.shown;
const shownKey: Shown<ShownKey> = accessKey.shown;

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
    endpoint({
      method: 'GET',
      pattern: base,
      name: 'listApplications',
      summary: 'Lists the applications that the caller may read.',
      access: { rule: 'each', type: 'APPLICATION', right: 'READ' },
      reply: listOf(shownApplication),
      lists: listedResource({
        ...{ called: 'Application', noun: application, columns: ['name', 'id', 'createdBy'] },
        about: 'Workers and services sign in with the access keys of an application.',
      }),
      handle: ({ caller }) => {
        const readable = applications
          .list()
          .filter(({ id }) => access.may(caller, 'READ', { type: 'APPLICATION', id }));
        return readable.map((each) => applications.toJson(each));
      },
    }),
    endpoint({
      method: 'POST',
      pattern: base,
      name: 'createApplication',
      summary: 'Creates an application; the caller owns it.',
      access: { rule: 'permission', anyOf: ['CREATE_APPLICATION', 'APPLICATION_MANAGEMENT'] },
      body: application.request,
      reply: shownApplication,
      handle: async (request, { name }) => {
        const created = await applications.create(request.caller, name);
        request.noteObject(created.id);
        return applications.toJson(created);
      },
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/:id`,
      name: 'getApplication',
      summary: 'Shows an application.',
      access: reads,
      reply: shownApplication,
      errors: ['not-found'],
      handle: (request) => applications.toJson(applications.get(request.param('id'))),
    }),
    endpoint({
      method: 'PUT',
      pattern: `${base}/:id`,
      name: 'updateApplication',
      summary: 'Renames an application.',
      access: updates(),
      body: application.request,
      reply: shownApplication,
      errors: ['not-found'],
      handle: async (request, { name }) => {
        const renamed = await applications.rename(request.caller, request.param('id'), name);
        return applications.toJson(renamed);
      },
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/:id`,
      name: 'deleteApplication',
      summary: 'Deletes an application with its keys and grants.',
      access: { rule: 'target', type: 'APPLICATION', right: 'DELETE', id: 'id' },
      reply: message,
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        await applications.delete(request.param('id'));
        return { message: `Deleted Application '${request.param('id')}'` };
      },
    }),
  ];
}

function roleRoutes(applications: Applications): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      pattern: `${base}/:applicationId/roles/:role`,
      name: 'addApplicationRole',
      summary: 'Gives an application a role.',
      access: updates('applicationId'),
      reply: nothing,
      errors: ['not-found'],
      handle: async (request) => {
        const id = request.param('applicationId');
        await applications.addRole(request.caller, id, request.param('role'));
      },
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/:applicationId/roles/:role`,
      name: 'removeApplicationRole',
      summary: 'Takes a role from an application.',
      access: updates('applicationId'),
      reply: nothing,
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        const id = request.param('applicationId');
        await applications.removeRole(request.caller, id, request.param('role'));
      },
    }),
  ];
}

function keyRoutes(applications: Applications, access: AccessRules): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      pattern: `${base}/key/:accessKeyId`,
      name: 'getApplicationOfKey',
      summary: 'Shows the application that owns an access key.',
      access: { rule: 'each', type: 'APPLICATION', right: 'READ' },
      reply: shownApplication,
      errors: ['not-found'],
      handle: (request) => {
        const owner = applications.ownerOfKey(request.param('accessKeyId'));
        requireRight(access, request.caller, 'READ', { type: 'APPLICATION', id: owner.id });
        return applications.toJson(owner);
      },
    }),
    endpoint({
      method: 'POST',
      pattern: `${base}/:id/accessKeys`,
      name: 'createAccessKey',
      summary: 'Creates an access key; its secret is shown this one time.',
      access: updates(),
      parameters: {
        expiresInSeconds: query(integer('How long the key counts; absent: it has no end')),
      },
      reply: createdKey,
      errors: ['not-found'],
      handle: async (request) => {
        const seconds = request.queryLong('expiresInSeconds');
        if (seconds !== undefined && (seconds < 1 || seconds > keySecondsMax)) {
          throw refused('expiresInSeconds', `must be between 1 and ${keySecondsMax}`);
        }
        const lifeMs = seconds === undefined ? undefined : seconds * 1000;
        const key = await applications.createKey(request.param('id'), lifeMs);
        request.noteObject(key.id);
        return key;
      },
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/:id/accessKeys`,
      name: 'listAccessKeys',
      summary: 'Lists the access keys of an application.',
      access: reads,
      reply: listOf(shownKey),
      errors: ['not-found'],
      handle: (request) => applications.keys(request.param('id')),
    }),
    endpoint({
      method: 'POST',
      pattern: `${base}/:applicationId/accessKeys/:keyId/status`,
      name: 'toggleAccessKey',
      summary: 'Makes an active access key inactive and the reverse.',
      access: updates('applicationId'),
      reply: shownKey,
      errors: ['not-found', 'conflict'],
      handle: async (request) =>
        await applications.toggleKey(request.param('applicationId'), request.param('keyId')),
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/:applicationId/accessKeys/:keyId`,
      name: 'deleteAccessKey',
      summary: 'Deletes an access key.',
      access: updates('applicationId'),
      reply: message,
      errors: ['not-found', 'conflict'],
      handle: async (request) => {
        await applications.deleteKey(request.param('applicationId'), request.param('keyId'));
        return { message: `Deleted Access key '${request.param('keyId')}'` };
      },
    }),
  ];
}
