// The test of a prompt (contract-admin 13.2): the same call as LLM_TEXT_COMPLETE makes.
import type { PromptTest, PromptTestServices } from '@downbeat/plugin';
import { Models } from './models.js';

/** The answer of the model. Rejects as `Models.chat` does. */
export async function testPrompt(services: PromptTestServices, test: PromptTest): Promise<string> {
  const { provider, model, text, temperature, topP, maxTokens, stopWords, wantsJson } = test;
  const answer = await new Models(services).chat(test, provider, {
    ...{ model, temperature, topP, maxTokens, stopWords },
    messages: [{ role: 'user', content: text }],
    tools: [],
    frequencyPenalty: undefined,
    presencePenalty: undefined,
    reasoningEffort: undefined,
    json: wantsJson ? { schema: undefined } : undefined,
  });
  return answer.text;
}
