// GENERATE_IMAGE (semantics 4.23): pictures that a model makes from a prompt.
import type { JsonMap } from '../../model/json.js';
import { textFrom } from '../../model/json-text.js';
import {
  completed,
  systemTask,
  systemTaskType,
  type SystemTask,
  type SystemTaskType,
} from '../system-task.js';
import { checkParameters, integerFrom, map, requiredText, TaskInput, text } from '../task-input.js';
import { modelUserOf } from './completion.js';
import { keepMedia, mediaNeeds, type MediaServices } from './generated-media.js';
import { mediaPrompt } from './media-prompt.js';

const parameters = {
  llmProvider: requiredText,
  model: requiredText,
  prompt: requiredText,
  promptVariables: map,
  promptVersion: integerFrom(1),
  inputSchema: map,
  width: integerFrom(1),
  height: integerFrom(1),
  size: text,
  style: text,
  n: integerFrom(1, 10),
  outputFormat: { kind: 'text', oneOf: ['png', 'jpg', 'webp'] },
  outputLocation: text,
} as const;
const mimeTypes: { readonly [format: string]: string } = {
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
};

export const generateImageTask: SystemTaskType = systemTaskType({
  name: 'GENERATE_IMAGE',
  reaches: [
    { right: 'READ', target: 'INTEGRATION', named: '`llmProvider` and `model`' },
    { right: 'READ', target: 'PROMPT', named: 'the name of a prompt' },
  ],
  check: checkParameters(parameters),
  needs: mediaNeeds,
  create: createGenerateImageTask,
});

export function createGenerateImageTask(services: MediaServices): SystemTask {
  return systemTask({
    lane: ({ llmProvider }) => textFrom(llmProvider),
    async run(run) {
      const input = new TaskInput(parameters, run.input);
      const user = modelUserOf(services.integrations, run);
      const prompt = mediaPrompt(services, user, input, ['prompt']);
      const made = await services.models.images(user, input.text('llmProvider'), {
        model: input.text('model'),
        body: bodyOf(input, prompt),
        mimeType: mimeTypes[input.text('outputFormat').toLowerCase()] ?? 'image/png',
      });
      return completed(run, { media: await keepMedia(services, run, input, made) });
    },
  });
}

function bodyOf(input: TaskInput, prompt: string): JsonMap {
  const width = input.number('width') ?? 1024;
  const height = input.number('height') ?? 1024;
  const body: JsonMap = { prompt, n: input.number('n') ?? 1 };
  body['size'] = input.text('size') || `${width}x${height}`;
  if (input.has('style')) body['style'] = input.text('style');
  const format = input.text('outputFormat').toLowerCase();
  // Older models know no format and make PNG.
  if (format !== '' && format !== 'png') body['output_format'] = format === 'jpg' ? 'jpeg' : format;
  return body;
}
