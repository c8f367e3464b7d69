// CHUNK_TEXT (semantics 4.23): splits a text into chunks.
import {
  reachesNothing,
  completed,
  type PluginTask,
  type PluginServices,
  type PluginTaskType,
  checkParameters,
  integerFrom,
  requiredText,
  TaskInput,
  text,
  chunksOf,
} from '@downbeat/plugin';

const parameters = {
  text: requiredText,
  chunkSize: integerFrom(100, 10_000),
  chunkOverlap: integerFrom(0, 5000),
  mediaType: text,
};
const chunkSizeDefault = 1000;

export const chunkTextTask: PluginTaskType = {
  name: 'CHUNK_TEXT',
  reaches: reachesNothing,
  check: checkParameters(parameters),
  create: createChunkTextTask,
};

export function createChunkTextTask({ documents }: Pick<PluginServices, 'documents'>): PluginTask {
  return {
    async run(run) {
      const input = new TaskInput(parameters, run.input);
      const document = {
        bytes: Buffer.from(input.text('text')),
        mediaType: input.text('mediaType').toLowerCase() || 'text/plain',
        charset: 'utf-8',
      };
      const chunks = chunksOf(await documents.textOf(document, run.signal), {
        size: input.number('chunkSize') ?? chunkSizeDefault,
        overlap: input.number('chunkOverlap') ?? 0,
      });
      return completed(run, { text: chunks });
    },
  };
}
