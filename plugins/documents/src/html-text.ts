// The text of an HTML page as a person reads it: a line for each block, one blank for several,
// nothing of scripts and styles.
import { Parser } from 'htmlparser2';
import { decodedText } from '@downbeat/plugin';

const hidden = new Set(['script', 'style', 'noscript', 'template', 'svg', 'head']);
/** Elements that begin a line of their own, and those that keep a distance to others. */
const lines = new Set(['div', 'li', 'tr', 'dt', 'dd', 'option', 'figcaption', 'nav']);
const paragraphs = new Set([
  ...['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'dl', 'table', 'pre', 'blockquote'],
  ...['section', 'article', 'header', 'footer', 'main', 'aside', 'hr', 'form', 'fieldset'],
]);

/** `charset`: of the answer that brought the page; empty: the page is UTF-8. */
export function htmlText(bytes: Uint8Array, charset: string): string {
  const writer = new TextWriter();
  const parser = new Parser({
    onopentagname: (name) => writer.open(name),
    ontext: (text) => writer.text(text),
    onclosetag: (name) => writer.close(name),
  });
  parser.end(decodedText(bytes, charset));
  return writer.result();
}

class TextWriter {
  #text = '';
  /** Line ends before the next text. */
  #breaks = 0;
  #hiddenDepth = 0;
  #asWritten = 0;

  open(name: string): void {
    if (hidden.has(name)) this.#hiddenDepth += 1;
    this.#break(name);
    if (name === 'pre') this.#asWritten += 1;
    if (name === 'td' || name === 'th') this.#add(' ');
    if (name === 'li') this.#add('- ');
  }

  close(name: string): void {
    if (hidden.has(name)) this.#hiddenDepth -= 1;
    if (name === 'pre') this.#asWritten -= 1;
    if (name !== 'br') this.#break(name);
  }

  text(text: string): void {
    this.#add(this.#asWritten > 0 ? text : text.replace(/\s+/g, ' '));
  }

  result(): string {
    return this.#text.replace(/[^\S\n]+$/gm, '').trim();
  }

  #add(text: string): void {
    if (this.#hiddenDepth > 0) return;
    const isFresh = this.#breaks > 0 || this.#text === '' || /\s$/.test(this.#text);
    const plain = isFresh && this.#asWritten === 0 ? text.trimStart() : text;
    if (plain === '') return;
    this.#text += '\n'.repeat(this.#text === '' ? 0 : this.#breaks) + plain;
    this.#breaks = 0;
  }

  #break(name: string): void {
    if (paragraphs.has(name)) this.#breaks = 2;
    else if (name === 'br') this.#breaks = Math.min(this.#breaks + 1, 2);
    else if (lines.has(name)) this.#breaks = Math.max(this.#breaks, 1);
  }
}
