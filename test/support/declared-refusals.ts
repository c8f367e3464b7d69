// Which declared refusals a call to a fresh server cannot bring about, and why. The table test
// (test/server/declared-errors.test.ts) sends all others.
import type { Endpoint } from '../../src/api/endpoint.js';

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

/** Those that a test with a state of its own brings about; its answers are checked, too. */
export const refusedElsewhere: Readonly<Record<string, readonly DeclaredRefusal[]>> = {
  'test/server/events/handlers.test.ts': ['addEventHandlers 409', 'updateEventHandler 404'],
  'test/server/identity.test.ts': ['createRole 409', 'createToken 401', 'putUser 404'],
  'test/server/registry/integrations.test.ts': [
    'saveIntegrationProvider 404',
    'saveIntegrations 409',
  ],
  'test/server/registry/prompts.test.ts': ['savePrompt 404', 'savePrompts 404', 'savePrompts 409'],
  'test/server/registry/remote-services.test.ts': ['cloneRemoteService 409'],
  'test/server/registry/schemas.test.ts': ['saveSchemas 409'],
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
  'test/server/webhooks/webhooks.test.ts': ['createWebhook 409', 'updateWebhook 404'],
};

/** Parameters that take any value: only an answer that is too long is refused. */
export const refusedWhenTooLong: readonly DeclaredRefusal[] = [
  'acknowledgeTask 400',
  'clearDefinitionCache 400',
  'getApiDocs 400',
  'getApiDocsJson 400',
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

/**
 * Not brought about by any test whose answers are checked: they need an object in another state,
 * a table that is full, another system that fails, or a signature. An entry goes when a test
 * sends it.
 */
export const neverSent: readonly DeclaredRefusal[] = [
  'putSecret 409',
  'getSecret 404',
  'getPrompt 404',
  'listPromptVersions 404',
  'addApplicationRole 409',
  'addApplicationTags 404',
  'addEnvironmentVariableTags 404',
  'addGroupMember 409',
  'addGroupMembers 409',
  'addTaskTag 409',
  'addWorkflowByOldPathTag 409',
  'addWorkflowTag 409',
  'checkStore 409',
  'checkUserPermissions 404',
  'completeFileParts 409',
  'completeFileUpload 409',
  'createBulkJob 409',
  'createFile 404',
  'createOutgoingWebhook 409',
  'decideWorkflow 409',
  'deleteApplicationTags 404',
  'deleteEnvironmentVariableTags 404',
  'deleteGroup 409',
  'deleteTaskTag 409',
  'deleteWorkflowByOldPathTag 409',
  'deleteWorkflowTag 409',
  'executeWorkflow 409',
  'executeWorkflowByName 409',
  'executeWorkflowWithoutInput 409',
  'getApplicationTags 404',
  'getEnvironmentVariableTags 404',
  'getExternalPayload 404',
  'getExternalPayload 405',
  'getFile 409',
  'getFileContent 404',
  'getFileContent 405',
  'getFileDownloadUrl 409',
  'getFilePartUrl 404',
  'getFilePartUrl 409',
  'getFileUploadUrl 409',
  'grantAccess 409',
  'putExternalPayload 404',
  'putExternalPayload 405',
  'putExternalPayload 409',
  'putFileContent 404',
  'putFileContent 405',
  'putFileContent 409',
  'putGroup 409',
  'putUser 409',
  'receiveWebhookCall 401',
  'receiveWebhookCallBelowApi 401',
  'receiveWebhookPing 401',
  'receiveWebhookPingBelowApi 401',
  'registerWorkflowDef 409',
  'removeApplicationRole 409',
  'removeGroupMember 409',
  'removeGroupMembers 409',
  'removeWorkflow 409',
  'repairStore 409',
  'replaceTaskTags 409',
  'replaceWorkflowTags 409',
  'revokeAccess 409',
  'saveGlobalSchemas 409',
  'saveIntegrationApi 409',
  'saveIntegrationProvider 409',
  'saveIntegrations 404',
  'savePrompt 409',
  'saveProtoFile 409',
  'saveRemoteService 409',
  'saveSchedule 409',
  'saveServiceMethod 404',
  'saveUserForm 409',
  'saveUserForms 409',
  'setTokenLimit 404',
  'signIn 401',
  'signOut 401',
  'signOut 403',
  'signalWorkflow 409',
  'signalWorkflowSync 409',
  'startBulkJob 409',
  'startFileParts 409',
  'startWorkflowByName 409',
  'startWorkflowVersion 409',
  'stopBulkJob 409',
  'streamChanges 401',
  'streamChanges 404',
  'testPrompt 404',
  'testPrompt 502',
  'toggleAccessKey 409',
  'updateApplication 404',
  'updateApplication 409',
  'updateOutgoingWebhook 404',
  'updatePrompt 404',
  'updatePrompt 409',
  'updateTaskDef 404',
  'updateWebhookOfBody 404',
  'updateWorkflowState 409',
  'upgradeWorkflow 409',
];
