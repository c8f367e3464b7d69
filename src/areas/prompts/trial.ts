// A prompt tried out against a model (contract-admin 13.2, `POST /api/prompts/test`): the same call
// as an LLM task makes, with the rights of the caller. The prompt need not be stored.
import { randomUUID } from 'node:crypto';
import { endpoint, plainText, type Endpoint } from '../../api/endpoint.js';
import { number } from '../../model/schema.js';
import { anyMap, choice, custom, integer, texts } from '../../model/field.js';
import { resourceName } from '../../declare/resource-fields.js';
import { record } from '../../model/record.js';
import type { Caller } from '../../model/caller.js';
import { AppError, wrongField } from '../../model/errors.js';
import { withVariables } from '../../model/placeholders.js';
import { redactText } from '../../model/redact.js';
import { secretTexts } from '../../model/secret-texts.js';
import { isFinalFailure } from '../../system-task/final-failure.js';
import type { Ports } from '../ports.js';
import { templateField } from './prompt.js';

const trialShape = record('PromptTemplateTestRequest', {
  llmProvider: resourceName,
  model: resourceName,
  prompt: templateField,
  promptVariables: anyMap({ default: {} }),
  temperature: custom(number(), (value, path) => boundedNumber(value, path, Infinity)),
  topP: custom(number(), (value, path) => boundedNumber(value, path, 1)),
  maxTokens: integer({ about: '0: as many as the provider gives', check: notNegative }),
  stopWords: texts({ itemsMax: 100 }),
  response_format: choice(['text', 'json']),
});

type Trial = ReturnType<typeof trialShape.parse>;

/** Longest time for the answer. */
const answerTimeMsMax = 120_000;

export function trialRoute(testPrompt: Ports['testPrompt']): Endpoint {
  return endpoint({
    method: 'POST',
    pattern: '/api/prompts/test',
    name: 'testPrompt',
    summary: "Answers a model's completion of a prompt.",
    access: { rule: 'each', type: 'INTEGRATION', right: 'READ' },
    body: trialShape,
    reply: plainText('What the model answered'),
    errors: ['not-found', 'too-many', 'bad-gateway'],
    handle: ({ caller }, trial) => answerOf(testPrompt, caller, trial),
  });
}

/**
 * The model's answer. Throws AppError 'not-found' and 'forbidden' for the model, 'too-many' at its
 * token limit, 'bad-request' when it cannot be called, 'bad-gateway' when the provider fails.
 */
async function answerOf(
  testPrompt: Ports['testPrompt'],
  caller: Caller,
  trial: Trial,
): Promise<string> {
  const secrets: string[] = [];
  try {
    const answer = await testPrompt(caller, {
      startedBy: caller.id,
      hide: (secret) => secrets.push(...secretTexts(secret)),
      attemptKey: randomUUID(),
      signal: AbortSignal.timeout(answerTimeMsMax),
      provider: trial.llmProvider,
      model: trial.model,
      text: withVariables(trial.prompt, trial.promptVariables),
      temperature: trial.temperature,
      topP: trial.topP,
      maxTokens: trial.maxTokens,
      stopWords: trial.stopWords,
      wantsJson: trial.response_format === 'json',
    });
    return redactText(answer, secrets);
  } catch (error) {
    throw refusalOf(error, secrets);
  }
}

function refusalOf(error: unknown, secrets: readonly string[]): AppError {
  if (error instanceof AppError) return error;
  if (isFinalFailure(error) && error.cause instanceof AppError) return error.cause;
  const message = error instanceof Error ? error.message : String(error);
  const kind = isFinalFailure(error) ? 'bad-request' : 'bad-gateway';
  return new AppError(kind, redactText(message, secrets), { cause: error });
}

function notNegative(value: number, path: string): void {
  if (value < 0) throw wrongField(path, 'must be 0 or more');
}

function boundedNumber(value: unknown, path: string, max: number): number {
  if (typeof value !== 'number' || value < 0)
    throw wrongField(path, 'must be a number of 0 or more');
  if (value > max) throw wrongField(path, `may be ${max} at most`);
  return value;
}
