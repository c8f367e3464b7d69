// Endpoints of grants (contract-admin 6.3).
import { query, endpoint, listOf, type AccessRule, type Endpoint } from '../../../api/endpoint.js';
import { oneOf, text } from '../../../model/schema.js';
import type { RouteRequest } from '../../../api/route.js';
import { message } from '../fields.js';
import {
  grant,
  grantRequest,
  parseSubject,
  parseTarget,
  subjectGrants,
  targetGrants,
  type GrantRequest,
} from './grant.js';
import type { Grants } from './grants.js';
import type { Caller } from '../../../model/caller.js';
import { AppError } from '../../../model/errors.js';
import type { SubjectRef } from '../identities.js';
import type { TargetType } from '../../../access/access-rules.js';
import { parseTargetType } from '../../../access/parse-rights.js';
import { plainId } from '../../../model/subject.js';

const base = '/api/auth';
const groupings = ['access', 'subject'];
/** The operation checks that the caller holds what it grants. */
const caller: AccessRule = { rule: 'caller' };

export function grantRoutes(grants: Grants): Endpoint[] {
  const resourceType = query(text('Only grants on this type of resources'));
  return [
    endpoint({
      method: 'POST',
      pattern: `${base}/authorization`,
      name: 'grantAccess',
      summary: 'Grants rights on a resource.',
      access: caller,
      body: grantRequest,
      reply: message,
      handle: async (request, wanted) => {
        await grants.grant(request.caller, noted(request, wanted));
        return { message: 'Granted permission' };
      },
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/authorization`,
      name: 'revokeAccess',
      summary: 'Takes rights on a resource away.',
      access: caller,
      body: grantRequest,
      reply: message,
      handle: async (request, wanted) => {
        await grants.revoke(request.caller, noted(request, wanted));
        return { message: 'Removed permission' };
      },
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/authorization/:type/:id`,
      name: 'getAccess',
      summary: 'Shows who was granted what on a resource.',
      access: caller,
      parameters: {
        groupBy: query(oneOf(groupings, 'What the answer is ordered by; access when absent')),
      },
      reply: targetGrants,
      handle: (request) => {
        const target = parseTarget(request.param('type'), request.param('id'));
        grants.requireSight(request.caller, target);
        const groupBy = request.query('groupBy') || 'access';
        if (!groupings.includes(groupBy)) {
          throw new AppError('bad-request', `groupBy must be ${groupings.join(' or ')}`);
        }
        return groupBy === 'subject'
          ? grants.onTargetBySubject(target)
          : grants.onTargetByRight(target);
      },
    }),
    endpoint({
      method: 'GET',
      pattern: '/api/admin/grants',
      name: 'listGrants',
      summary: 'Lists everything that was granted.',
      access: { rule: 'administrator' },
      parameters: { resourceType },
      reply: subjectGrants,
      handle: (request) => grants.all(typeOf(request)),
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/subjects/:subjectType/:subjectId/grants`,
      name: 'listSubjectGrants',
      summary: 'Lists what a subject was granted.',
      access: caller,
      parameters: { resourceType },
      reply: listOf(grant),
      handle: (request) => {
        const subject = subjectOf(request);
        requireSelfOrAdministrator(request.caller, subject);
        return grants.ofSubject(subject, typeOf(request));
      },
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/subjects/:subjectType/:subjectId/grants`,
      name: 'revokeSubjectGrants',
      summary: 'Takes everything from a subject that it was granted.',
      access: { rule: 'administrator' },
      parameters: { resourceType },
      reply: message,
      handle: async (request) => {
        await grants.revokeAll(subjectOf(request), typeOf(request));
        return { message: 'Revoked grants' };
      },
    }),
  ];
}

/** The grant that the body asks for, named in the audit log. */
function noted(request: RouteRequest, wanted: GrantRequest): GrantRequest {
  const { subject, target, access } = wanted;
  request.noteObject(`${subject.type}:${subject.id}`);
  request.noteObject(`${target.type}:${target.id}`);
  request.noteObject(access.join('+'));
  return wanted;
}

function subjectOf(request: RouteRequest): SubjectRef {
  return parseSubject(request.param('subjectType'), request.param('subjectId'));
}

function typeOf(request: RouteRequest): TargetType | undefined {
  const type = request.query('resourceType');
  return type === undefined || type === '' ? undefined : parseTargetType(type);
}

function requireSelfOrAdministrator(by: Caller, subject: SubjectRef): void {
  const isSelf =
    (subject.type === 'USER' && subject.id === plainId(by.id)) ||
    (subject.type === 'GROUP' && by.groups.includes(subject.id)) ||
    (subject.type === 'ROLE' && by.roles.includes(subject.id));
  if (isSelf || by.roles.includes('ADMIN')) return;
  throw new AppError('forbidden', 'Only administrators may see what others were granted');
}
