// GENERATE_VIDEO (semantics 4.23): a video that a model makes in its own time. The first run starts
// it and later ones ask how far it is; the provider's id stands in the output between them.
import {
  completed,
  failed,
  FinalFailure,
  integerFrom,
  requiredText,
  text,
  textFrom,
  type JsonMap,
  type TaskInput,
  type TaskOutcome,
  type TaskRun,
} from '@downbeat/plugin';
import { keepMedia, mediaTask } from './generated-media.js';
import { mediaPrompt } from './media-prompt.js';
import { errorTextOf } from './model-request.js';
import type { Services } from './model-task.js';

/** Longest time between two questions; the first ones come sooner. */
const askAgainSecondsMax = 10;

export const generateVideoTask = mediaTask({
  name: 'GENERATE_VIDEO',
  prompts: { prompt: requiredText },
  parameters: {
    duration: integerFrom(1),
    maxDurationSeconds: integerFrom(1),
    size: text,
    width: integerFrom(1),
    height: integerFrom(1),
    n: integerFrom(1),
  },
  async run(services, run, input) {
    const known = run.output['jobId'];
    if (typeof known !== 'string') {
      const started = await start(services, run, input);
      return waiting(started, run);
    }
    const video = await services.models.video(run, ...modelOf(input), known);
    const { status } = video;
    if (status === 'completed') return await finish(services, run, input, known);
    if (status !== 'failed') return waiting(video, run);
    const why = errorTextOf(video['error'] ?? null) || 'no reason was given';
    return failed(`The video was not made: ${why}`, { jobId: known, status: 'FAILED' });
  },
});

function modelOf(input: TaskInput): readonly [provider: string, model: string] {
  return [input.text('llmProvider'), input.text('model')];
}

async function start(services: Services, run: TaskRun, input: TaskInput): Promise<JsonMap> {
  if ((input.number('n') ?? 1) > 1) {
    throw new FinalFailure('inputParameters.n above 1 is not offered: videos are made one by one');
  }
  const [provider, model] = modelOf(input);
  const body: JsonMap = { prompt: mediaPrompt(services, run, input, ['prompt']) };
  const seconds = Math.min(
    input.number('duration') ?? Infinity,
    input.number('maxDurationSeconds') ?? Infinity,
  );
  if (Number.isFinite(seconds)) body['seconds'] = String(seconds);
  const size = input.text('size') || sizeOf(input);
  if (size !== '') body['size'] = size;
  return await services.models.startVideo(run, provider, { model, body });
}

function sizeOf(input: TaskInput): string {
  const [width, height] = [input.number('width'), input.number('height')];
  return width === undefined || height === undefined ? '' : `${width}x${height}`;
}

function waiting(video: JsonMap, { pollCount }: TaskRun): TaskOutcome {
  const { id, status } = video;
  if (typeof id !== 'string') throw new Error('The provider named no id of the video');
  const output = { jobId: id, status: textFrom(status ?? 'queued').toUpperCase() };
  const callbackAfterSeconds = Math.min(1 + pollCount, askAgainSecondsMax);
  return { status: 'IN_PROGRESS', output, callbackAfterSeconds };
}

async function finish(
  services: Services,
  run: TaskRun,
  input: TaskInput,
  id: string,
): Promise<TaskOutcome> {
  const made = await services.models.videoContent(run, ...modelOf(input), id);
  const media = await keepMedia(services, run, input, [made]);
  return completed(run, { media, jobId: id, status: 'COMPLETED', pollCount: run.pollCount });
}
