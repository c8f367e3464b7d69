// PARSE_DOCUMENT (semantics 4.23): a document as a list of texts, whole or in chunks. Records of a
// table become a line each that names the columns, so that a chunk can be read alone.
import { integerFrom, map, text, chunksOf, type LoadedDocument } from '@downbeat/plugin';
import { readingType, refuseStorage, type DocumentServices } from './document-input.js';
import { readAs } from './readers.js';

export const parseDocumentTask = readingType({
  name: 'PARSE_DOCUMENT',
  parameters: {
    integrationName: text,
    integrationNames: map,
    chunkSize: integerFrom(0),
    chunkOverlap: integerFrom(0),
  },
  async read(services, run, input, address) {
    refuseStorage(input);
    const document = await services.documents.load(run, address);
    const shown = await readable(services, document, run.signal);
    const size = input.number('chunkSize') ?? 0;
    const overlap = input.number('chunkOverlap') ?? 0;
    return size === 0 ? [shown] : chunksOf(shown, { size, overlap });
  },
});

/** The text of a document as chunks can be cut from it. Throws FinalFailure when it is not one. */
async function readable(
  { documents, isolatedJobs }: DocumentServices,
  document: LoadedDocument,
  signal: AbortSignal,
): Promise<string> {
  const { mediaType } = document;
  if (mediaType === 'text/csv') return await readAs('csv', isolatedJobs, document, signal);
  if (mediaType === 'text/tab-separated-values') {
    return await readAs('tsv', isolatedJobs, document, signal);
  }
  if (/^application\/(?:[\w.+-]+\+)?json$/.test(mediaType)) {
    return await readAs('json', isolatedJobs, document, signal);
  }
  return await documents.textOf(document, signal);
}
