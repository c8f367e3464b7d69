// CHUNK_TEXT (semantics 4.23): splits a text into chunks.
import {
  chunksOf,
  completed,
  integerFrom,
  parameterTask,
  reachesNothing,
  requiredText,
  text,
} from '@downbeat/plugin';

const chunkSizeDefault = 1000;

export const chunkTextTask = parameterTask({
  name: 'CHUNK_TEXT',
  reaches: reachesNothing,
  parameters: {
    text: requiredText,
    chunkSize: integerFrom(100, 10_000),
    chunkOverlap: integerFrom(0, 5000),
    mediaType: text,
  },
  async run({ documents }, run, input) {
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
});
