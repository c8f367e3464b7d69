// GET_DOCUMENT (semantics 4.23): the text of a document.
import { readingType } from './document-input.js';

export const getDocumentTask = readingType({
  name: 'GET_DOCUMENT',
  parameters: {},
  read: async ({ documents }, run, _input, address) => await documents.read(run, address),
});
