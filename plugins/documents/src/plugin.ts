// Documents as text, and text as PDF: the plug-in as the server loads it.
import { pluginContract, type Plugin } from '@downbeat/plugin';
import { chunkTextTask } from './chunk-text.js';
import { generatePdfTask } from './generate-pdf.js';
import { getDocumentTask } from './get-document.js';
import { listFilesTask } from './list-files.js';
import { parseDocumentTask } from './parse-document.js';
import { documentReaders } from './readers.js';

export const plugin: Plugin = {
  contract: pluginContract,
  name: 'documents',
  taskTypes: [getDocumentTask, parseDocumentTask, chunkTextTask, listFilesTask, generatePdfTask],
  documentReaders,
};
