// The text of a PDF, page by page.
import { extractText, getDocumentProxy } from 'unpdf';

/** Rejects with an Error when the bytes are no PDF, or one that needs a password. */
export async function pdfText(bytes: Uint8Array): Promise<string> {
  // A plain array of its own: the library refuses a Buffer.
  const document = await getDocumentProxy(new Uint8Array(bytes));
  const { text } = await extractText(document, { mergePages: false });
  return text.join('\n\n').trim();
}
