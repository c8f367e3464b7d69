// The route that tries a prompt out against a model (contract-admin 13.2).
import { wrongField } from '../../model/errors.js';
import { checkTemplate } from '../../model/registry/prompt.js';
import { nameOf } from '../../model/registry/fields.js';
import { RecordReader } from '../../model/record-reader.js';
import type { PromptTrial } from '../../system-task/models/prompt-test.js';
import type { Caller } from '../../model/caller.js';
import { body, repliesText, type Endpoint } from '../endpoint.js';
import { anyObject, integer, list, number, object, oneOf, text } from '../form.js';
import { text as textAnswer } from '../route.js';

const trialForm = object(
  'PromptTemplateTestRequest',
  {
    llmProvider: text(),
    model: text(),
    prompt: text('With placeholders ${name}; it need not be stored'),
    promptVariables: anyObject,
    temperature: number(),
    topP: number(),
    maxTokens: integer('0: as many as the provider gives'),
    stopWords: list(text()),
    response_format: oneOf(['text', 'json']),
  },
  ['llmProvider', 'model', 'prompt'],
);

const stopWordsMax = 100;

export function promptTrialRoutes(
  tryPrompt: (caller: Caller, trial: PromptTrial) => Promise<string>,
): Endpoint[] {
  return [
    {
      method: 'POST',
      pattern: '/api/prompts/test',
      name: 'testPrompt',
      summary: "Answers a model's completion of a prompt.",
      access: { rule: 'each', type: 'INTEGRATION', right: 'READ' },
      parameters: {},
      body: body(trialForm),
      replies: repliesText(text('What the model answered')),
      errors: ['not-found', 'too-many', 'bad-gateway'],
      handle: async (request) =>
        textAnswer(await tryPrompt(request.caller, parseTrial(request.json()))),
    },
  ];
}

/** Throws AppError 'bad-request'. */
function parseTrial(input: unknown): PromptTrial {
  const reader = new RecordReader(input, '');
  const stopWords = reader.texts('stopWords');
  if (stopWords.length > stopWordsMax) {
    throw wrongField('stopWords', `may have ${stopWordsMax} entries at most`);
  }
  const maxTokens = reader.optionalInteger('maxTokens');
  if (maxTokens !== undefined && maxTokens < 0) throw wrongField('maxTokens', 'must be 0 or more');
  return {
    llmProvider: nameOf(reader, 'llmProvider'),
    model: nameOf(reader, 'model'),
    prompt: checkTemplate(reader.text('prompt') ?? '', 'prompt'),
    promptVariables: reader.map('promptVariables'),
    temperature: boundedNumber(reader, 'temperature', Number.MAX_SAFE_INTEGER),
    topP: boundedNumber(reader, 'topP', 1),
    maxTokens,
    stopWords,
    isJson: reader.choice('response_format', ['text', 'json']) === 'json',
  };
}

function boundedNumber(reader: RecordReader, name: string, max: number): number | undefined {
  const value = reader.raw(name);
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || value < 0)
    throw wrongField(name, 'must be a number of 0 or more');
  if (value > max) throw wrongField(name, `may be ${max} at most`);
  return value;
}
