// GENERATE_PDF (semantics 4.23): sets Markdown as a PDF.
import { reachesNothing } from '../../engine/reaches.js';
import { FinalFailure } from '../final-failure.js';
import type { PdfLayout } from '../heavy/job.js';
import {
  completed,
  ordinaryRun,
  ordinaryType,
  type SystemTask,
  type SystemTaskServices,
  type SystemTaskType,
} from '../system-task.js';
import { checkParameters, map, numberFrom, requiredText, TaskInput, text } from '../task-input.js';

const margin = numberFrom(0, 500);
const parameters = {
  markdown: requiredText,
  pageSize: { kind: 'text', oneOf: ['A3', 'A4', 'A5', 'LETTER', 'LEGAL'] },
  marginTop: margin,
  marginRight: margin,
  marginBottom: margin,
  marginLeft: margin,
  theme: { kind: 'text', oneOf: ['default', 'compact'] },
  baseFontSize: numberFrom(4, 72),
  outputLocation: text,
  pdfMetadata: map,
  imageBaseUrl: text,
} as const;

/** Points. */
const marginDefault = 72;
const fontSizeDefault = 11;
const factNames = ['title', 'author', 'subject', 'keywords'];

export const generatePdfTask: SystemTaskType = {
  ...ordinaryType,
  name: 'GENERATE_PDF',
  reaches: reachesNothing,
  check: checkParameters(parameters),
  create: createGeneratePdfTask,
};

export function createGeneratePdfTask({
  documents,
  heavy,
}: Pick<SystemTaskServices, 'documents' | 'heavy'>): SystemTask {
  return {
    ...ordinaryRun,
    async run(run) {
      const input = new TaskInput(parameters, run.input);
      if (input.has('imageBaseUrl')) {
        throw new FinalFailure('inputParameters.imageBaseUrl is not offered: images become links');
      }
      const markdown = input.text('markdown');
      const job = { kind: 'write-pdf' as const, markdown, layout: layoutOf(input) };
      const bytes = Buffer.from(await heavy.run(job, run.signal));
      const mimeType = 'application/pdf';
      const location = await documents.keep(
        { bytes, mimeType },
        { location: input.text('outputLocation'), name: run.ref },
      );
      return completed(run, {
        result: { location, sizeBytes: bytes.length },
        media: [{ location, mimeType }],
        finishReason: 'COMPLETED',
      });
    },
  };
}

function layoutOf(input: TaskInput): PdfLayout {
  const marginOf = (name: string): number => input.number(name) ?? marginDefault;
  const facts = Object.entries(input.textMap('pdfMetadata')).filter(([name]) =>
    factNames.includes(name),
  );
  return {
    pageSize: input.text('pageSize').toUpperCase() || 'A4',
    margins: [
      marginOf('marginTop'),
      marginOf('marginRight'),
      marginOf('marginBottom'),
      marginOf('marginLeft'),
    ],
    fontSize: input.number('baseFontSize') ?? fontSizeDefault,
    isCompact: input.text('theme').toLowerCase() === 'compact',
    facts: Object.fromEntries(
      facts.map(([name, value]) => [name.charAt(0).toUpperCase() + name.slice(1), value]),
    ),
  };
}
