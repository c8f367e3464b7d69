// GENERATE_AUDIO (semantics 4.23): a text that a model speaks.
import { FinalFailure } from '../../system-task/final-failure.js';
import { completed } from '../../system-task/system-task.js';
import { integerFrom, numberFrom, text } from '../../system-task/task-input.js';
import { modelUserOf } from './completion.js';
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
    speed: numberFrom(0.25, 4),
    responseFormat: { kind: 'text', oneOf: Object.keys(mimeTypes) },
    n: integerFrom(1, 10),
  },
  async run(services, run, input) {
    if ((input.number('n') ?? 1) > 1) {
      throw new FinalFailure('inputParameters.n above 1 is not offered: speech is made once');
    }
    const user = modelUserOf(services.integrations, run);
    const format = (input.text('responseFormat').toLowerCase() || 'mp3') as keyof typeof mimeTypes;
    const made = await services.models.speech(user, input.text('llmProvider'), {
      model: input.text('model'),
      body: {
        input: mediaPrompt(services, user, input, ['text', 'prompt']),
        voice: input.text('voice') || voiceDefault,
        speed: input.number('speed') ?? 1,
        response_format: format,
      },
      mimeType: mimeTypes[format],
    });
    return completed(run, { media: await keepMedia(services, run, input, [made]) });
  },
});
