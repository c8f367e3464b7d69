// What the world outside meets in a simulation (outside-part.ts): workflows that wait for a
// platform, for a person, or for both at once; webhooks of two verifiers; and an address that is
// told of what happened.
import type { JsonMap } from '../../../src/model/json.js';
import type { OutgoingWebhook } from '../../../src/areas/outgoing/outgoing-webhook.js';
import type { Webhook, WebhookFields } from '../../../src/areas/webhooks/webhook.js';
import { startOfTime } from '../scheduler.js';

export const hookedName = 'simulated_hooked';
export const askedName = 'simulated_asked';
export const visitedName = 'simulated_visited';
/** What a call starts, and what the end of a human task starts; both end at once. */
export const calledName = 'simulated_called';
export const triggeredName = 'simulated_triggered';

/** What is visited: the outside starts it and moves it on. */
export const visitedNames = [hookedName, askedName, visitedName] as const;

export const hookedRef = 'hooked';
export const askedRef = 'asked';

function define(name: string, tasks: JsonMap[]): JsonMap {
  return { ...{ name, version: 1, schemaVersion: 2, ownerEmail: 'a@b.test' }, tasks };
}

function noteOf(inputParameters: JsonMap): JsonMap {
  return { ...{ name: 'note', taskReferenceName: 'note', type: 'SET_VARIABLE' }, inputParameters };
}

const hooked: JsonMap = {
  ...{ name: hookedRef, taskReferenceName: hookedRef, type: 'WAIT_FOR_WEBHOOK' },
  inputParameters: { matches: { group: '${workflow.input.group}' } },
};

const asked: JsonMap = {
  ...{ name: askedRef, taskReferenceName: askedRef, type: 'HUMAN' },
  inputParameters: {
    __humanTaskDefinition: {
      taskTriggers: [
        {
          triggerType: 'COMPLETED',
          startWorkflowRequest: { name: triggeredName, version: 1 },
        },
      ],
    },
  },
};

const done = noteOf({ done: true });

export const outsideWorkflows: readonly JsonMap[] = [
  define(hookedName, [hooked, done]),
  define(askedName, [asked, done]),
  define(visitedName, [
    {
      ...{ name: 'fork', taskReferenceName: 'fork', type: 'FORK_JOIN' },
      forkTasks: [[hooked], [asked]],
    },
    {
      ...{ name: 'join', taskReferenceName: 'join', type: 'JOIN' },
      joinOn: [hookedRef, askedRef],
    },
    done,
  ]),
  define(calledName, [noteOf({ call: '${workflow.input.call}' })]),
  define(triggeredName, [noteOf({ of: '${workflow.input.humanTask.taskId}' })]),
];

/** A call counts once by its signature, or as often as it is sent. */
export const signedId = 'signed';
export const plainId = 'plain';
export const signingSecret = 'simulated';
export const signatureHeader = 'x-signature';
export const plainHeader = 'x-key';

export const webhooks: readonly Webhook[] = [
  webhookOf(signedId, 'SIGNATURE_BASED', { secretValue: signingSecret }),
  webhookOf(plainId, 'HEADER_BASED', { headers: { [plainHeader]: signingSecret } }),
];

function webhookOf(
  id: string,
  verifier: WebhookFields['verifier'],
  secrets: Pick<WebhookFields, 'headers' | 'secretValue'>,
): Webhook {
  return {
    ...{ id, name: id, sourcePlatform: 'Custom', verifier, headerKey: signatureHeader },
    receiverWorkflowNamesToVersions: { [hookedName]: 1, [visitedName]: 1 },
    workflowsToStart: { [calledName]: 1 },
    ...{ urlVerified: true, createdBy: '', createdAt: startOfTime },
    sealed: JSON.stringify(secrets),
  };
}

export const addressId = 'address';

/** Tells of what ends. */
export const outgoingWebhook: OutgoingWebhook = {
  ...{ id: addressId, name: addressId, url: 'http://address.test/', active: true },
  events: ['WORKFLOW_COMPLETED', 'HUMAN_TASK_COMPLETED'],
  ...{ workflowNames: [...visitedNames], workflowTags: [], taskNames: [] },
  ...{ attemptsMax: 30, retryDelayMs: 200, headerNames: [], createdBy: '', createdAt: startOfTime },
  sealed: JSON.stringify({ headers: {}, secretValue: signingSecret }),
};
