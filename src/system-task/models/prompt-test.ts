// A prompt tried out against a model (contract-admin 13.2, `POST /api/prompts/test`): the same call
// as an LLM task makes, with the rights of the caller. The prompt need not be stored.
import { randomUUID } from 'node:crypto';
import { AppError } from '../../model/errors.js';
import type { Caller } from '../../model/caller.js';
import type { JsonMap } from '../../model/json.js';
import { redactText } from '../../model/redact.js';
import { secretTexts } from '../../operation/secrets/secret-texts.js';
import { FinalFailure } from '../final-failure.js';
import type { Models, ModelUser } from './models.js';
import { filled } from './prompt-text.js';

export interface PromptTrial {
  readonly llmProvider: string;
  readonly model: string;
  readonly prompt: string;
  readonly promptVariables: JsonMap;
  readonly temperature: number | undefined;
  readonly topP: number | undefined;
  /** undefined or 0: as many as the provider gives. */
  readonly maxTokens: number | undefined;
  readonly stopWords: readonly string[];
  readonly isJson: boolean;
}

/** Longest time for the answer. */
const answerTimeMsMax = 120_000;

/**
 * The model's answer. Throws AppError 'not-found' and 'forbidden' for the model, 'too-many' at its
 * token limit, 'bad-request' when it cannot be called, 'bad-gateway' when the provider fails.
 */
export async function tryPrompt(
  models: Models,
  caller: Caller,
  trial: PromptTrial,
): Promise<string> {
  const { llmProvider, prompt, promptVariables, isJson, ...shape } = trial;
  const secrets: string[] = [];
  const user: ModelUser = {
    caller,
    hide: (secret) => secrets.push(...secretTexts(secret)),
    attemptKey: randomUUID(),
    signal: AbortSignal.timeout(answerTimeMsMax),
  };
  try {
    const answer = await models.chat(user, llmProvider, {
      ...shape,
      messages: [{ role: 'user', content: filled(prompt, promptVariables) }],
      tools: [],
      frequencyPenalty: undefined,
      presencePenalty: undefined,
      reasoningEffort: undefined,
      json: isJson ? { schema: undefined } : undefined,
    });
    return redactText(answer.text, secrets);
  } catch (error) {
    throw refusalOf(error, secrets);
  }
}

function refusalOf(error: unknown, secrets: readonly string[]): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof FinalFailure && error.cause instanceof AppError) return error.cause;
  const message = error instanceof Error ? error.message : String(error);
  const kind = error instanceof FinalFailure ? 'bad-request' : 'bad-gateway';
  return new AppError(kind, redactText(message, secrets), { cause: error });
}
