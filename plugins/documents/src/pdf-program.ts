// The program of a process that sets Markdown as a PDF.
import { markdownPdf, type PdfLayout } from './markdown-pdf.js';

export interface PdfOrder {
  readonly markdown: string;
  readonly layout: PdfLayout;
}

export async function run({ markdown, layout }: PdfOrder): Promise<Uint8Array> {
  return await markdownPdf(markdown, layout);
}
