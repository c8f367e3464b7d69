// Registered prompts as tasks use them: with the rights of who started the execution, and with the
// variables in place (contract-admin 13.1).
import { AppError } from '../../model/errors.js';
import { variablesOf, withVariables } from '../../model/placeholders.js';
import type { AskedPrompt, PluginPrompts } from '../../plugin/plugin.js';
import { FinalFailure } from '../../system-task/final-failure.js';
import { requireStarter, type StarterLookup } from '../../system-task/starter.js';
import type { Prompt } from './prompt.js';
import type { Prompts } from './prompts.js';

export function promptUse(prompts: Prompts, starterOf: StarterLookup): PluginPrompts {
  return {
    has: (name) => prompts.has(name),
    fill(run, asked) {
      const caller = requireStarter(starterOf, run);
      const prompt = asFailure(() => prompts.readable(caller, asked.name, asked.version));
      const { temperature, topP, responseFormat, stopWords } = prompt;
      return { text: filledText(prompt, asked), temperature, topP, responseFormat, stopWords };
    },
  };
}

/** Another attempt meets the same prompt, so its refusals are final. */
function asFailure(read: () => Prompt): Prompt {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError) throw new FinalFailure(error.message, { cause: error });
    throw error;
  }
}

function filledText({ name, template }: Prompt, { variables }: AskedPrompt): string {
  const missing = variablesOf(template).filter((each) => !Object.hasOwn(variables, each));
  if (missing.length === 0) return withVariables(template, variables);
  throw new FinalFailure(
    `promptVariables lack ${missing.join(', ')}, which the prompt ${name} names`,
  );
}
