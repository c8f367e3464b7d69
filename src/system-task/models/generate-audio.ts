// GENERATE_AUDIO (semantics 4.23): a text that a model speaks.
import { FinalFailure } from '../final-failure.js';
import {
  completed,
  systemTask,
  systemTaskType,
  type SystemTask,
  type SystemTaskType,
} from '../system-task.js';
import {
  checkParameters,
  integerFrom,
  map,
  numberFrom,
  requiredText,
  TaskInput,
  text,
} from '../task-input.js';
import { modelUserOf } from './completion.js';
import { keepMedia, mediaNeeds, type MediaServices } from './generated-media.js';
import { mediaPrompt } from './media-prompt.js';
import { textFrom } from '../../model/json-text.js';

const mimeTypes = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  pcm: 'audio/pcm',
} as const;
const parameters = {
  llmProvider: requiredText,
  model: requiredText,
  text,
  prompt: text,
  promptVariables: map,
  promptVersion: integerFrom(1),
  inputSchema: map,
  voice: text,
  speed: numberFrom(0.25, 4),
  responseFormat: { kind: 'text', oneOf: Object.keys(mimeTypes) },
  n: integerFrom(1, 10),
  outputLocation: text,
} as const;
const voiceDefault = 'alloy';

export const generateAudioTask: SystemTaskType = systemTaskType({
  name: 'GENERATE_AUDIO',
  reaches: [
    { right: 'READ', target: 'INTEGRATION', named: '`llmProvider` and `model`' },
    { right: 'READ', target: 'PROMPT', named: 'the name of a prompt' },
  ],
  check: checkParameters(parameters),
  needs: mediaNeeds,
  create: createGenerateAudioTask,
});

export function createGenerateAudioTask(services: MediaServices): SystemTask {
  return systemTask({
    lane: ({ llmProvider }) => textFrom(llmProvider),
    async run(run) {
      const input = new TaskInput(parameters, run.input);
      if ((input.number('n') ?? 1) > 1) {
        throw new FinalFailure('inputParameters.n above 1 is not offered: speech is made once');
      }
      const user = modelUserOf(services.integrations, run);
      const format = (input.text('responseFormat').toLowerCase() ||
        'mp3') as keyof typeof mimeTypes;
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
}
