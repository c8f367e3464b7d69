// Lines at the end of a terminal that are drawn again in place. They never become more than the
// terminal shows: lines that have left it at the top could not be drawn again.

/** The part of a terminal that a region uses. */
export interface Terminal {
  write(text: string): unknown;
  readonly columns?: number;
  readonly rows?: number;
}

/**
 * Reasons, logs and names come from workers and callers: what moves the cursor, names the window or
 * fills the clipboard is left out. Colours stay, as do tabs and the ends of lines.
 */
export function withoutControls(text: string): string {
  return text.replace(controls, '');
}

const controls = /\u001b(?!\[[0-9;]*m)|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]/g;

const escapes = /\u001b\[[0-9;]*m/g;

export class LiveRegion {
  #height = 0;
  #shown = '';

  constructor(private readonly terminal: Terminal) {}

  /** Draws `lines` in place of what it drew last; the last lines stay when there are too many. */
  draw(lines: readonly string[]): void {
    const { columns = 80, rows = 24 } = this.terminal;
    const room = Math.max(1, rows - 1);
    const hidden = Math.max(0, lines.length - room);
    const kept = hidden === 0 ? lines : [`... ${hidden + 1} more`, ...lines.slice(hidden + 1)];
    const text = kept.map((line) => `${cut(oneLine(line), columns - 1)}\u001b[K`).join('\n');
    if (text === this.#shown) return;
    const up = this.#height > 1 ? `\u001b[${this.#height - 1}A` : '';
    this.terminal.write(`${this.#height === 0 ? '' : `\r${up}`}${text}\u001b[J`);
    this.#height = kept.length;
    this.#shown = text;
  }

  /** Leaves the drawn lines; the next line begins below them. */
  end(): void {
    if (this.#height > 0) this.terminal.write('\n');
    this.#height = 0;
    this.#shown = '';
  }
}

/** A line that ends inside would draw more lines than are counted. */
function oneLine(line: string): string {
  return withoutControls(line.replace(/[\t\r\n]+/g, ' '));
}

/** As many characters as fit; colours take no room. */
function cut(line: string, width: number): string {
  if (line.replace(escapes, '').length <= width) return line;
  let room = width - 1;
  const parts = line.split(/(\u001b\[[0-9;]*m)/);
  const kept = parts.map((part) => {
    if (part.startsWith('\u001b[')) return part;
    const text = part.slice(0, Math.max(0, room));
    room -= part.length;
    return text;
  });
  return `${kept.join('')}…`;
}
