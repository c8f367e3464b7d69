// GENERATE_IMAGE (semantics 4.23): pictures that a model makes from a prompt.
import {
  completed,
  integerFrom,
  requiredText,
  text,
  type JsonMap,
  type TaskInput,
} from '@downbeat/plugin';
import { keepMedia, mediaTask } from './generated-media.js';
import { mediaPrompt } from './media-prompt.js';

const mimeTypes: { readonly [format: string]: string } = {
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
};

export const generateImageTask = mediaTask({
  name: 'GENERATE_IMAGE',
  prompts: { prompt: requiredText },
  parameters: {
    width: integerFrom(1),
    height: integerFrom(1),
    size: text,
    style: text,
    n: integerFrom(1, 10),
    outputFormat: { kind: 'text', oneOf: Object.keys(mimeTypes) },
  },
  async run(services, run, input) {
    const prompt = mediaPrompt(services, run, input, ['prompt']);
    const made = await services.models.images(run, input.text('llmProvider'), {
      model: input.text('model'),
      body: bodyOf(input, prompt),
      mimeType: mimeTypes[input.text('outputFormat').toLowerCase()] ?? 'image/png',
    });
    return completed(run, { media: await keepMedia(services, run, input, made) });
  },
});

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
