// The program of a process that reads a document as text. Libraries are loaded by the form that
// needs them.

/** A document, read as text. */
export interface ReadOrder {
  readonly form: 'html' | 'pdf' | 'csv' | 'tsv' | 'json';
  readonly bytes: Uint8Array;
  /** Of HTML and JSON; empty: UTF-8. */
  readonly charset: string;
}

export async function run({ form, bytes, charset }: ReadOrder): Promise<string> {
  switch (form) {
    case 'html':
      return (await import('./html-text.js')).htmlText(bytes, charset);
    case 'pdf':
      return await (await import('./pdf-text.js')).pdfText(bytes);
    case 'csv':
      return (await import('./table-text.js')).tableText(bytes, ',');
    case 'tsv':
      return (await import('./table-text.js')).tableText(bytes, '\t');
    case 'json':
      return (await import('./json-text.js')).jsonText(bytes, charset);
  }
}
