// The roles that every server has (contract-admin 5.1) and what each reaches without any grant
// (contract-admin 5.2). Permission names are what clients are shown and what endpoints with the
// rule `permission` ask for; reach is what access rules ask for. Roles add up.
import { rights, type Right, type TargetType } from '../../../access/access-rules.js';

export const systemRoleNames = [
  'ADMIN',
  'USER',
  'METADATA_MANAGER',
  'WORKFLOW_MANAGER',
  'WORKER',
  'UNRESTRICTED_WORKER',
  'METADATA_API',
  'APPLICATION_CREATOR',
  'APPLICATION_MANAGER',
  'USER_READ_ONLY',
  'PROMPT_MANAGER',
] as const;
export type SystemRoleName = (typeof systemRoleNames)[number];

/** Rights on every resource of a type. */
export type Reach = Partial<Readonly<Record<TargetType, readonly Right[]>>>;

export interface SystemRole {
  readonly permissions: readonly string[];
  readonly reach: Reach;
}

const create: readonly Right[] = ['CREATE'];
const read: readonly Right[] = ['READ'];
const allButExecute: readonly Right[] = ['CREATE', 'READ', 'UPDATE', 'DELETE'];

/**
 * Types without a statement of their own: a role of people that may create definitions may create
 * them too, and owns what it creates (contract-admin 5.2). An application's METADATA_API creates
 * what its permissions and contract-admin 5.2 name and nothing else (docs/access.md).
 */
const besidesDefinitions: readonly TargetType[] = [
  'WORKFLOW_SCHEDULE',
  'EVENT_HANDLER',
  'WEBHOOK',
  'SCHEMA',
  'PROMPT',
  'SERVICE_REGISTRY',
  'API_GATEWAY_SERVICE',
  'API_GATEWAY_SERVICE_ROUTE',
];

function all(types: readonly TargetType[], granted: readonly Right[]): Reach {
  return Object.fromEntries(types.map((type) => [type, granted])) as Reach;
}

const definitionCreator: Reach = {
  WORKFLOW_DEF: create,
  TASK_DEF: create,
  USER_FORM_TEMPLATE: create,
  WORKFLOW_SCHEDULE: create,
};

/** ADMIN has no reach listed: access rules answer yes before they look (contract-admin 6.4). */
export const systemRoles: Readonly<Record<SystemRoleName, SystemRole>> = {
  ADMIN: {
    permissions: [
      'METADATA_MANAGEMENT',
      'ADMIN_MANAGEMENT',
      'METADATA_VIEW',
      'PERMISSION_MANAGEMENT',
      'USER_MANAGEMENT',
      'EVENT_HANDLER_MANAGEMENT',
      'PROMPT_MANAGEMENT',
      'WORKFLOW_MANAGEMENT',
      'API_GATEWAY_MANAGEMENT',
      'API_GATEWAY_VIEW',
      'PUBLISHER_MANAGEMENT',
      'WORKFLOW_SEARCH',
      'AUTHORIZATION_MANAGEMENT',
      'SCHEDULE_MANAGEMENT',
      'BULK_MANAGEMENT',
      'APPLICATION_MANAGEMENT',
    ],
    reach: {},
  },
  USER: {
    permissions: [
      'CREATE_WORKFLOW_DEF',
      'CREATE_TASK_DEF',
      'CREATE_APPLICATION',
      'CREATE_INTEGRATION',
      'CREATE_SECRET',
      'CREATE_USER_FORM_TEMPLATE',
      'WORKFLOW_SEARCH',
      'API_GATEWAY_VIEW',
      'API_GATEWAY_MANAGEMENT',
    ],
    reach: {
      ...all(besidesDefinitions, create),
      ...definitionCreator,
      APPLICATION: create,
      INTEGRATION: create,
      INTEGRATION_PROVIDER: create,
      SECRET_NAME: create,
    },
  },
  METADATA_MANAGER: {
    permissions: [
      'METADATA_MANAGEMENT',
      'METADATA_VIEW',
      'CREATE_SECRET',
      'CREATE_INTEGRATION',
      'API_GATEWAY_MANAGEMENT',
      'API_GATEWAY_VIEW',
    ],
    reach: {
      ...all(besidesDefinitions, create),
      WORKFLOW_DEF: allButExecute,
      TASK_DEF: allButExecute,
      USER_FORM_TEMPLATE: allButExecute,
      ENV_VARIABLE: allButExecute,
      SECRET_NAME: create,
      INTEGRATION: create,
      INTEGRATION_PROVIDER: create,
    },
  },
  WORKFLOW_MANAGER: {
    permissions: ['WORKFLOW_MANAGEMENT', 'METADATA_VIEW', 'WORKFLOW_SEARCH'],
    reach: { WORKFLOW: rights, WORKFLOW_DEF: ['READ', 'EXECUTE'], TASK_DEF: read },
  },
  WORKER: { permissions: [], reach: {} },
  UNRESTRICTED_WORKER: { permissions: [], reach: { TASK_DEF: ['EXECUTE'] } },
  METADATA_API: {
    permissions: ['CREATE_WORKFLOW_DEF', 'CREATE_TASK_DEF', 'CREATE_USER_FORM_TEMPLATE'],
    reach: definitionCreator,
  },
  APPLICATION_CREATOR: {
    permissions: ['CREATE_APPLICATION'],
    reach: { APPLICATION: create },
  },
  APPLICATION_MANAGER: {
    permissions: ['APPLICATION_MANAGEMENT', 'API_GATEWAY_MANAGEMENT', 'API_GATEWAY_VIEW'],
    reach: { APPLICATION: rights },
  },
  USER_READ_ONLY: {
    permissions: ['METADATA_VIEW', 'WORKFLOW_SEARCH', 'API_GATEWAY_VIEW'],
    reach: { WORKFLOW_DEF: read, TASK_DEF: read },
  },
  PROMPT_MANAGER: { permissions: ['PROMPT_MANAGEMENT'], reach: { PROMPT: rights } },
};

const systemRoleSet: ReadonlySet<string> = new Set(systemRoleNames);

export function isSystemRole(name: string): name is SystemRoleName {
  return systemRoleSet.has(name);
}

/** Roles that only an administrator may give to an application (contract-admin 2.4). */
export const administratorGivenRoles: ReadonlySet<string> = new Set([
  'ADMIN',
  'UNRESTRICTED_WORKER',
  'METADATA_MANAGER',
  'WORKFLOW_MANAGER',
  'APPLICATION_MANAGER',
  'PROMPT_MANAGER',
  'USER',
  'USER_READ_ONLY',
]);
