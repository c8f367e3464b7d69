// GENERATE_PDF (semantics 4.23): sets Markdown as a PDF.
import {
  reachesNothing,
  FinalFailure,
  completed,
  map,
  numberWithin,
  requiredText,
  parameterTask,
  type TaskInput,
  text,
} from '@downbeat/plugin';
import type { PdfLayout } from './markdown-pdf.js';
import type { PdfOrder } from './pdf-program.js';

const program = new URL('./pdf-program.js', import.meta.url);

const margin = numberWithin(0, 500);
const parameters = {
  markdown: requiredText,
  pageSize: { kind: 'text', oneOf: ['A3', 'A4', 'A5', 'LETTER', 'LEGAL'] },
  marginTop: margin,
  marginRight: margin,
  marginBottom: margin,
  marginLeft: margin,
  theme: { kind: 'text', oneOf: ['default', 'compact'] },
  baseFontSize: numberWithin(4, 72),
  outputLocation: text,
  pdfMetadata: map,
  imageBaseUrl: text,
} as const;

/** Points. */
const marginDefault = 72;
const fontSizeDefault = 11;
const factNames = ['title', 'author', 'subject', 'keywords'];

export const generatePdfTask = parameterTask({
  name: 'GENERATE_PDF',
  reaches: reachesNothing,
  parameters,
  async run({ documents, isolatedJobs }, run, input) {
    if (input.has('imageBaseUrl')) {
      throw new FinalFailure('inputParameters.imageBaseUrl is not offered: images become links');
    }
    const markdown = input.text('markdown');
    const order: PdfOrder = { markdown, layout: layoutOf(input) };
    const made = (await isolatedJobs.run(program, order, run.signal)) as Uint8Array;
    const bytes = Buffer.from(made);
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
});

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
