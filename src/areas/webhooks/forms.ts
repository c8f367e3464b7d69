// Forms of webhooks on the wire (contract-admin 12.1).
import {
  anyObject,
  flag,
  list,
  mapOf,
  object,
  oneOf,
  text,
  time,
  type Form,
} from '../../api/form.js';
import { tagListForm } from '../../api/tag-routes.js';
import { verifierNames } from './webhook.js';

const written = {
  id: text('Chosen by the caller, or drawn'),
  name: text(),
  receiverWorkflowNamesToVersions: mapOf(
    { type: ['integer', 'string'] },
    'Workflows whose waiting tasks receive the event: name to version',
  ),
  workflowsToStart: {
    ...anyObject,
    description: 'Workflows to start: name to version; also idempotencyKey, idempotencyStrategy',
  },
  expression: text('Script that gives both maps'),
  evaluatorType: text('javascript'),
  sourcePlatform: text('Free text'),
  verifier: oneOf(verifierNames),
  headers: mapOf(text(), 'Headers that a call must carry, for HEADER_BASED'),
  headerKey: text('Header that holds the signature'),
  secretKey: text('Public key, for SENDGRID'),
  secretValue: text('Masked in all answers but that of the creation'),
  tags: tagListForm,
};

export const webhookRequestForm: Form = object('WebhookConfigRequest', written, [
  'name',
  'sourcePlatform',
  'verifier',
]);

export const webhookForm: Form = object(
  'WebhookConfig',
  {
    ...written,
    urlVerified: flag('A call was verified'),
    createdBy: text(),
    actsAs: text('Whose rights it acts with: who changed it last; absent: who created it'),
    webhookExecutionHistory: list(
      object(
        'WebhookExecutionHistory',
        {
          eventId: text(),
          matched: flag('A task was completed or a workflow started'),
          workflowIds: list(text()),
          payload: text('JSON text of the call'),
          reasons: list(text('Why something was not started or woken')),
          timeStamp: time(),
        },
        ['eventId', 'matched', 'workflowIds', 'payload', 'timeStamp'],
      ),
      'Newest first',
    ),
  },
  ['id', 'name', 'sourcePlatform', 'verifier', 'urlVerified', 'createdBy'],
);
