// Webhook definitions (contract-admin 12.1): which platform may call in, how its calls are
// verified, and which workflows they start or wake.
import type { JsonMap } from '../../model/json.js';

export const verifierNames = [
  'SLACK_BASED',
  'SIGNATURE_BASED',
  'HEADER_BASED',
  'STRIPE',
  'TWITTER',
  'HMAC_BASED',
  'SENDGRID',
] as const;
export type VerifierName = (typeof verifierNames)[number];

/** What a caller writes and reads; secrets in clear. */
export interface WebhookFields {
  readonly name: string;
  readonly receiverWorkflowNamesToVersions?: JsonMap;
  /** Names to versions, and the reserved keys idempotencyKey and idempotencyStrategy. */
  readonly workflowsToStart?: JsonMap;
  readonly expression?: string;
  readonly evaluatorType?: string;
  /** Free text without effect. */
  readonly sourcePlatform: string;
  readonly verifier: VerifierName;
  /** Names to values that a call must carry. */
  readonly headers?: { readonly [name: string]: string };
  readonly headerKey?: string;
  readonly secretKey?: string;
  readonly secretValue?: string;
}

/** What verifies a call. */
export type VerifierConfig = Pick<
  WebhookFields,
  'verifier' | 'headers' | 'headerKey' | 'secretKey' | 'secretValue'
>;

/** As it is stored. */
export interface Webhook extends Omit<WebhookFields, 'headers' | 'secretKey' | 'secretValue'> {
  readonly id: string;
  readonly urlVerified: boolean;
  readonly createdBy: string;
  /** Owner of record, where it is not the creator (model/owner-of-record.ts). */
  readonly actsAs?: string;
  /** Epoch ms. */
  readonly createdAt: number;
  /** Headers, secretKey and secretValue as JSON text, encrypted. */
  readonly sealed: string;
}

/** One call and what became of it (contract-admin 12.1). */
export interface WebhookHistoryEntry {
  readonly eventId: string;
  readonly matched: boolean;
  readonly workflowIds: readonly string[];
  readonly payload: string;
  /** Why something was not started or woken; absent: nothing was refused. */
  readonly reasons?: readonly string[];
  /** Epoch ms. */
  readonly timeStamp: number;
}

/** A call that was verified and stored, and is to be dealt with. */
export interface WebhookEvent {
  readonly id: string;
  readonly webhookId: string;
  /** Epoch ms. */
  readonly receivedAt: number;
  readonly headers: { readonly [name: string]: readonly string[] };
  readonly requestParams: { readonly [name: string]: readonly string[] };
  /** Raw text of the body. */
  readonly body: string;
  readonly contentType: string;
}
