// PARSE_DOCUMENT (semantics 4.23): a document as a list of texts, whole or in chunks. Records of a
// table become a line each that names the columns, so that a chunk can be read alone.
import { integerFrom, map, text } from '../task-input.js';
import { chunksOf } from '../vectors/text-chunks.js';
import { readingType, refuseStorage } from './document-input.js';
import type { Documents, LoadedDocument } from './documents.js';

export const parseDocumentTask = readingType({
  name: 'PARSE_DOCUMENT',
  parameters: {
    integrationName: text,
    integrationNames: map,
    chunkSize: integerFrom(0),
    chunkOverlap: integerFrom(0),
  },
  async read(documents, run, input, address) {
    refuseStorage(input);
    const document = await documents.load(run, address);
    const shown = await readable(documents, document, run.signal);
    const size = input.number('chunkSize') ?? 0;
    const overlap = input.number('chunkOverlap') ?? 0;
    return size === 0 ? [shown] : chunksOf(shown, { size, overlap });
  },
});

/** The text of a document as chunks can be cut from it. Throws FinalFailure when it is not one. */
async function readable(
  documents: Documents,
  document: LoadedDocument,
  signal: AbortSignal,
): Promise<string> {
  const { mediaType } = document;
  if (mediaType === 'text/csv') return await documents.converted('csv-text', document, signal);
  if (mediaType === 'text/tab-separated-values') {
    return await documents.converted('tsv-text', document, signal);
  }
  if (/^application\/(?:[\w.+-]+\+)?json$/.test(mediaType)) {
    return await documents.converted('json-text', document, signal);
  }
  return await documents.textOf(document, signal);
}
