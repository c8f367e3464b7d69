// Models as other areas see them: the test of a prompt asks one.
import type { IntegrationUser } from '../../system-task/integration-use.js';
import type { ChatAnswer, ChatRequest } from './chat.js';

/** The caller of a model, and the attempt that it calls for. */
export interface ModelUser extends IntegrationUser {
  readonly attemptKey: string;
  readonly signal: AbortSignal;
}

export interface AskModel {
  /** Rejects with FinalFailure, OutboundError, or an Error that tells why. */
  chat(user: ModelUser, provider: string, request: ChatRequest): Promise<ChatAnswer>;
}
