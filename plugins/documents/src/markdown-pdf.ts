// Sets Markdown (with the tables, task lists and strikethrough of GitHub) as a PDF. The fonts are
// those that every reader has, so characters outside Windows-1252 appear as a question mark.
import { marked, type Token, type Tokens } from 'marked';
import PDFDocument from 'pdfkit';

/** Size of a heading by its depth, in sizes of the text. */
const headingSizes = [2, 1.6, 1.3, 1.15, 1, 1];
const linkColor = '#0645ad';
const quietColor = '#555555';
const indentPerLevel = 18;

export interface PdfLayout {
  readonly pageSize: string;
  /** Points: top, right, bottom, left. */
  readonly margins: readonly [number, number, number, number];
  readonly fontSize: number;
  /** Whether lines and paragraphs stand close together. */
  readonly isCompact: boolean;
  /** Title, Author, Subject, Keywords. */
  readonly facts: { readonly [name: string]: string };
}

/** A run of text in one style. */
interface Span {
  readonly text: string;
  readonly isBold?: boolean;
  readonly isItalic?: boolean;
  readonly isCode?: boolean;
  readonly isStruck?: boolean;
  readonly link?: string;
}

type Style = Omit<Span, 'text'>;

export async function markdownPdf(markdown: string, layout: PdfLayout): Promise<Uint8Array> {
  const [top, right, bottom, left] = layout.margins;
  const document = new PDFDocument({
    size: layout.pageSize,
    margins: { top, right, bottom, left },
    info: { ...layout.facts },
  });
  const chunks: Buffer[] = [];
  const ended = new Promise<void>((resolve, reject) => {
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.on('end', resolve);
    document.on('error', reject);
  });
  new Setter(document, layout).blocks(marked.lexer(markdown), { indent: 0, color: 'black' });
  document.end();
  await ended;
  return new Uint8Array(Buffer.concat(chunks));
}

interface Place {
  /** Points from the left margin. */
  readonly indent: number;
  readonly color: string;
}

class Setter {
  constructor(
    private readonly document: PDFKit.PDFDocument,
    private readonly layout: PdfLayout,
  ) {}

  blocks(tokens: readonly Token[], place: Place): void {
    for (const token of tokens) this.#block(token, place);
  }

  #block(token: Token, place: Place): void {
    switch (token.type) {
      case 'heading': {
        const { depth, tokens } = token as Tokens.Heading;
        const size = this.layout.fontSize * (headingSizes[depth - 1] ?? 1);
        this.#gap(0.6);
        return this.#paragraph(spansOf(tokens, { isBold: true }), place, size);
      }
      case 'paragraph':
        return this.#paragraph(spansOf((token as Tokens.Paragraph).tokens, {}), place);
      case 'text': {
        const { tokens, text } = token as Tokens.Text;
        return this.#paragraph(tokens === undefined ? [{ text }] : spansOf(tokens, {}), place);
      }
      case 'list':
        return this.#list(token as Tokens.List, place);
      case 'code':
        return this.#code(token as Tokens.Code, place);
      case 'blockquote': {
        const quoted = { indent: place.indent + indentPerLevel, color: quietColor };
        return this.blocks((token as Tokens.Blockquote).tokens, quoted);
      }
      case 'table':
        return this.#table(token as Tokens.Table);
      case 'hr':
        return this.#rule();
    }
  }

  #paragraph(spans: readonly Span[], place: Place, size = this.layout.fontSize): void {
    const { document } = this;
    const shown = spans.filter(({ text }) => text !== '');
    if (shown.length === 0) return;
    document.x = document.page.margins.left + place.indent;
    const width = document.page.width - document.page.margins.right - document.x;
    for (const [i, span] of shown.entries()) {
      document
        .font(fontOf(span))
        .fontSize(size)
        .fillColor(span.link === undefined ? place.color : linkColor)
        .text(printable(span.text), {
          width,
          continued: i < shown.length - 1,
          link: span.link ?? null,
          underline: span.link !== undefined,
          strike: span.isStruck === true,
        });
    }
    this.#gap(0.5);
  }

  #list(list: Tokens.List, place: Place): void {
    const inner = { ...place, indent: place.indent + indentPerLevel };
    const first = typeof list.start === 'number' ? list.start : 1;
    for (const [i, item] of list.items.entries()) {
      const mark = list.ordered ? `${first + i}.` : '•';
      const [head, ...rest] = item.tokens.filter(({ type }) => type !== 'checkbox');
      const box = item.task ? (item.checked === true ? '[x] ' : '[ ] ') : '';
      const marked: Span[] = [{ text: `${mark} ${box}` }];
      if (head !== undefined && 'tokens' in head && head.type !== 'list') {
        this.#paragraph([...marked, ...spansOf(head.tokens ?? [], {})], inner);
        this.blocks(rest, inner);
      } else {
        this.#paragraph(marked, inner);
        this.blocks(item.tokens, inner);
      }
    }
  }

  #code({ text }: Tokens.Code, place: Place): void {
    const inner = { ...place, indent: place.indent + indentPerLevel / 2 };
    this.#paragraph([{ text, isCode: true }], inner, this.layout.fontSize * 0.9);
  }

  #table({ header, rows }: Tokens.Table): void {
    const { document } = this;
    const plain = (cells: readonly Tokens.TableCell[]): string[] =>
      cells.map(({ tokens }) =>
        printable(
          spansOf(tokens, {})
            .map(({ text }) => text)
            .join(''),
        ),
      );
    document.x = document.page.margins.left;
    document
      .font('Helvetica')
      .fontSize(this.layout.fontSize * 0.95)
      .fillColor('black');
    document.table({
      data: [
        plain(header).map((text) => ({ text, font: { src: 'Helvetica-Bold' } })),
        ...rows.map(plain),
      ],
    });
    document.x = document.page.margins.left;
    this.#gap(0.5);
  }

  #rule(): void {
    const { document } = this;
    const { left, right } = document.page.margins;
    this.#gap(0.3);
    document
      .moveTo(left, document.y)
      .lineTo(document.page.width - right, document.y)
      .lineWidth(0.5)
      .strokeColor(quietColor)
      .stroke();
    this.#gap(0.6);
  }

  /** Room in lines of the text. */
  #gap(lines: number): void {
    this.document.fontSize(this.layout.fontSize);
    this.document.moveDown(this.layout.isCompact ? lines / 2 : lines);
  }
}

/** The runs of inline Markdown. */
function spansOf(tokens: readonly Token[], style: Style): Span[] {
  return tokens.flatMap((token): Span[] => {
    switch (token.type) {
      case 'strong':
        return spansOf((token as Tokens.Strong).tokens, { ...style, isBold: true });
      case 'em':
        return spansOf((token as Tokens.Em).tokens, { ...style, isItalic: true });
      case 'del':
        return spansOf((token as Tokens.Del).tokens, { ...style, isStruck: true });
      case 'link': {
        const { href, tokens: inner } = token as Tokens.Link;
        return spansOf(inner, { ...style, link: href });
      }
      case 'image': {
        const { href, text } = token as Tokens.Image;
        return [{ ...style, text: text || href, link: href }];
      }
      case 'codespan':
        return [{ ...style, text: (token as Tokens.Codespan).text, isCode: true }];
      case 'br':
        return [{ ...style, text: '\n' }];
      default: {
        const { tokens: inner, text = '' } = token as Partial<Tokens.Text>;
        return inner === undefined ? [{ ...style, text }] : spansOf(inner, style);
      }
    }
  });
}

function fontOf({ isBold, isItalic, isCode }: Span): string {
  const family = isCode === true ? 'Courier' : 'Helvetica';
  const style = `${isBold === true ? 'Bold' : ''}${isItalic === true ? 'Oblique' : ''}`;
  return style === '' ? family : `${family}-${style}`;
}

/** Windows-1252 beyond Latin-1. */
const moreCharacters = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';

function printable(text: string): string {
  return [...text]
    .map((character) => {
      const code = character.codePointAt(0) ?? 0;
      const isLatin = (code >= 0x20 && code < 0x7f) || (code >= 0xa0 && code <= 0xff);
      if (isLatin || character === '\n' || moreCharacters.includes(character)) return character;
      return character === '\t' ? '    ' : '?';
    })
    .join('');
}
