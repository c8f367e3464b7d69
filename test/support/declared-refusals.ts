// Which declared refusals a call to a fresh server cannot bring about, and why. The table test
// (test/server/declared-errors.test.ts) sends all others.
import type { Endpoint } from '../../src/api/endpoint.js';
import type { ApiSchemas } from '../../testkit/api-schemas.js';

interface Excuse {
  readonly status: number;
  /** Absent: every endpoint. */
  readonly of?: (endpoint: Endpoint) => boolean;
  readonly sentence: string;
}

const takesNothing = ({ body, parameters, pattern }: Endpoint): boolean =>
  body === null && Object.keys(parameters).length === 0 && !pattern.includes(':');
const readsOnly = ({ method }: Endpoint): boolean => method === 'GET';

/** Of whole classes of endpoints. */
export const excusedClasses: readonly Excuse[] = [
  {
    status: 500,
    sentence:
      'A defect of the server: no call brings it about on purpose. test/api/api.test.ts makes a handler throw and checks the form.',
  },
  {
    status: 503,
    sentence:
      'The store is away, or the node leaves: one place answers it for every route (src/api/errors.ts). test/api/api.test.ts checks the form, test/torture meets it.',
  },
  {
    status: 429,
    sentence:
      'More at once than a limit allows: one place answers it for every route (src/api/errors.ts). test/limits/request-limits.test.ts brings it about.',
  },
  {
    status: 400,
    of: takesNothing,
    sentence: 'Takes nothing that could be wrong; only an answer that is too long is refused.',
  },
  {
    status: 403,
    of: ({ access, ...endpoint }) =>
      (access.rule === 'caller' || access.rule === 'each') && readsOnly({ access, ...endpoint }),
    sentence:
      'Who may not see something is shown less. test/server/access-table.test.ts calls each of them as a stranger.',
  },
];

/** Operation and status. */
export type DeclaredRefusal = `${string} ${number}`;

/**
 * Those that a test with a state of its own brings about; its answers are checked, too, and at its
 * end it asks what it has not seen.
 */
export const refusedElsewhere: Readonly<Record<string, readonly DeclaredRefusal[]>> = {
  'test/server/account.test.ts': [
    'acceptInvitation 403',
    'acceptInvitation 409',
    'confirmSecondFactor 409',
    'createInvitation 404',
    'createInvitation 409',
    'enrolSecondFactor 409',
  ],
  'test/server/imported-executions.test.ts': ['importExecution 409'],
  'test/server/secrets.test.ts': ['getEnvironmentVariable 404'],
  'test/server/held-rights.test.ts': [
    'deleteAccessKey 409',
    'deleteApplication 409',
    'deleteGroup 409',
    'deleteUser 409',
    'putGroup 409',
    'putUser 409',
    'removeApplicationRole 409',
    'removeGroupMember 409',
    'removeGroupMembers 409',
    'toggleAccessKey 409',
  ],
  'test/server/refusals.test.ts': [
    'addEventHandlers 409',
    'checkStore 409',
    'checkUserPermissions 404',
    'cloneRemoteService 409',
    'createBulkJob 409',
    'createOutgoingWebhook 409',
    'createRole 409',
    'createToken 401',
    'createWebhook 409',
    'decideWorkflow 409',
    'executeWorkflow 409',
    'executeWorkflowByName 409',
    'executeWorkflowWithoutInput 409',
    'putUser 404',
    'receiveWebhookCall 401',
    'receiveWebhookCallBelowApi 401',
    'receiveWebhookPing 401',
    'receiveWebhookPingBelowApi 401',
    'registerWorkflowDef 409',
    'repairStore 409',
    'saveGlobalSchemas 409',
    'saveIntegrationApi 409',
    'saveIntegrationProvider 404',
    'saveIntegrationProvider 409',
    'saveIntegrations 404',
    'saveIntegrations 409',
    'savePrompt 404',
    'savePrompt 409',
    'savePrompts 404',
    'savePrompts 409',
    'saveProtoFile 409',
    'saveRemoteService 409',
    'saveSchedule 409',
    'saveSchemas 409',
    'saveServiceMethod 404',
    'saveUserForm 409',
    'saveUserForms 409',
    'setTokenLimit 404',
    'signIn 401',
    'signOut 401',
    'signOut 403',
    'startBulkJob 409',
    'startWorkflowByName 409',
    'startWorkflowVersion 409',
    'streamChanges 401',
    'streamChanges 404',
    'testPrompt 404',
    'testPrompt 502',
    'updateApplication 404',
    'updateEventHandler 404',
    'updateOutgoingWebhook 404',
    'updatePrompt 404',
    'updatePrompt 409',
    'updateTask 409',
    'updateTaskDef 404',
    'updateWebhook 404',
    'updateWebhookOfBody 404',
    'updateWorkflowState 409',
    'upgradeWorkflow 409',
  ],
  'test/server/routes.test.ts': [
    'signalWorkflow 404',
    'signalWorkflowSync 404',
    'startWorkflow 404',
    'startWorkflow 409',
    'testWorkflow 404',
    'updateTask 404',
    'updateTaskAndPoll 404',
    'updateTaskByReference 404',
    'updateTaskByReferenceSync 404',
    'updateWorkflowState 404',
    'upgradeWorkflow 404',
  ],
  'test/server/storage/files.test.ts': [
    'completeFileParts 409',
    'completeFileUpload 409',
    'createFile 404',
    'getExternalPayload 403',
    'getExternalPayload 405',
    'getFileContent 403',
    'getFileContent 405',
    'getFilePartUrl 404',
    'putExternalPayload 403',
    'putExternalPayload 405',
    'putExternalPayload 409',
    'putFileContent 403',
    'putFileContent 405',
    'putFileContent 409',
  ],
};

/** Refusals that the file has to bring about and has not seen, as `operationId status`. */
export function unseenRefusals(file: string, forms: ApiSchemas): DeclaredRefusal[] {
  const mine = refusedElsewhere[file];
  if (mine === undefined) throw new Error(`No refusal is listed for ${file}`);
  return mine.filter((refusal) => !forms.seen.has(refusal));
}

/** Parameters that take any value: only an answer that is too long is refused. */
export const refusedWhenTooLong: readonly DeclaredRefusal[] = [
  'acknowledgeTask 400',
  'clearDefinitionCache 400',
  'getApiDocs 400',
  'getApiDocsJson 400',
  'getApiDocsOfV3 400',
  'getApiDocsPage 400',
  'getPollData 400',
  'getQueueSize 400',
  'getQueueSizes 400',
  'listAllSecrets 400',
  'listSchedules 400',
  'listSchedulesByTag 400',
  'signOut 400',
  'streamChanges 400',
  'whyQueue 400',
];
