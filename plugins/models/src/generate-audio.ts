// GENERATE_AUDIO (semantics 4.23): a text that a model speaks.
import { completed, FinalFailure, integerFrom, numberWithin, text } from '@downbeat/plugin';
import { keepMedia, mediaTask } from './generated-media.js';
import { mediaPrompt } from './media-prompt.js';

const mimeTypes = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  pcm: 'audio/pcm',
} as const;
const voiceDefault = 'alloy';

export const generateAudioTask = mediaTask({
  name: 'GENERATE_AUDIO',
  prompts: { text, prompt: text },
  parameters: {
    voice: text,
    speed: numberWithin(0.25, 4),
    responseFormat: { kind: 'text', oneOf: Object.keys(mimeTypes) },
    n: integerFrom(1, 10),
  },
  async run(services, run, input) {
    if ((input.number('n') ?? 1) > 1) {
      throw new FinalFailure('inputParameters.n above 1 is not offered: speech is made once');
    }
    const format = (input.text('responseFormat').toLowerCase() || 'mp3') as keyof typeof mimeTypes;
    const made = await services.models.speech(run, input.text('llmProvider'), {
      model: input.text('model'),
      body: {
        input: mediaPrompt(services, run, input, ['text', 'prompt']),
        voice: input.text('voice') || voiceDefault,
        speed: input.number('speed') ?? 1,
        response_format: format,
      },
      mimeType: mimeTypes[format],
    });
    return completed(run, { media: await keepMedia(services, run, input, [made]) });
  },
});
