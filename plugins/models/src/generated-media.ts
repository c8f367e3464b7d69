// Parts that GENERATE_IMAGE, GENERATE_AUDIO and GENERATE_VIDEO share: they store the generated file
// and name it in the output.
import {
  integerFrom,
  map,
  requiredText,
  text,
  type JsonMap,
  type Parameters,
  type PluginTaskType,
  type TaskInput,
  type TaskOutcome,
  type TaskRun,
} from '@downbeat/plugin';
import { reachesModel, reachesPrompt } from './completion.js';
import type { Generated } from './models.js';
import { modelTask, type Services } from './model-task.js';

/** A type whose model makes media of a prompt; `parameters`: beside those that all of them have. */
export function mediaTask(declared: {
  readonly name: string;
  /** Those that may hold the prompt. */
  readonly prompts: Parameters;
  readonly parameters: Parameters;
  readonly run: (services: Services, run: TaskRun, input: TaskInput) => Promise<TaskOutcome>;
}): PluginTaskType {
  return modelTask({
    ...declared,
    reaches: [reachesModel, reachesPrompt],
    parameters: {
      ...{ llmProvider: requiredText, model: requiredText },
      ...declared.prompts,
      ...{ promptVariables: map, promptVersion: integerFrom(1), inputSchema: map },
      ...declared.parameters,
      outputLocation: text,
    },
    lane: 'llmProvider',
  });
}

/** Media as tasks answer them: an address of the provider stays as it is. */
export async function keepMedia(
  { documents }: Services,
  run: TaskRun,
  input: TaskInput,
  generated: readonly Generated[],
): Promise<JsonMap[]> {
  const media: JsonMap[] = [];
  for (const [i, { mimeType, content }] of generated.entries()) {
    if ('url' in content) {
      media.push({ location: content.url, mimeType });
      continue;
    }
    const name = generated.length === 1 ? run.ref : `${run.ref}_${i}`;
    const place = { location: placeOf(input, generated.length), name };
    media.push({
      location: await documents.keep({ bytes: content.bytes, mimeType }, place),
      mimeType,
    });
  }
  return media;
}

/** Several files need a folder. */
function placeOf(input: TaskInput, count: number): string {
  const location = input.text('outputLocation');
  return location === '' || count === 1 || location.endsWith('/') ? location : `${location}/`;
}
