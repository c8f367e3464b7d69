// Prints the results of a command. They go to standard output: JSON with `--json`, a table in a
// terminal, lines with tabs and without a heading in a pipe. Everything else (progress, questions,
// hints) goes to standard error, so that a pipe gets results only. Colours and lines that change in
// place are for terminals, and not with NO_COLOR.
import { createInterface } from 'node:readline/promises';
import { badInput } from './failure.js';
import { LiveRegion, withoutControls } from './live-region.js';

export interface OutputStreams {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly stdin: NodeJS.ReadStream;
}

export type Paint = 'green' | 'red' | 'yellow' | 'blue' | 'dim' | 'bold';

const codes: Readonly<Record<Paint, number>> = {
  green: 32,
  red: 31,
  yellow: 33,
  blue: 34,
  dim: 2,
  bold: 1,
};

export class Output {
  constructor(
    private readonly streams: OutputStreams,
    private readonly env: NodeJS.ProcessEnv,
    readonly isJson: boolean,
  ) {}

  /** A result: `value` with `--json`, else what `human` gives. */
  result(value: unknown, human: () => string): void {
    this.line(this.isJson ? JSON.stringify(value, undefined, 2) : human());
  }

  line(text: string): void {
    const { stdout } = this.streams;
    stdout.write(`${stdout.isTTY ? withoutControls(text) : text}\n`);
  }

  note(text: string): void {
    const { stderr } = this.streams;
    stderr.write(`${stderr.isTTY ? withoutControls(text) : text}\n`);
  }

  /** A result of rows. `value`: what `--json` prints; absent: the rows. */
  table(heading: readonly string[], rows: readonly (readonly string[])[], value?: unknown): void {
    if (this.isJson) {
      this.line(JSON.stringify(value ?? rowsAsObjects(heading, rows), undefined, 2));
      return;
    }
    if (!this.isTerminal) {
      for (const row of rows) this.line(row.map(oneLine).join('\t'));
      return;
    }
    if (rows.length === 0) this.note(this.painted('dim', 'nothing'));
    else this.line(this.columns(heading, rows));
  }

  columns(heading: readonly string[], rows: readonly (readonly string[])[]): string {
    const all = [heading, ...rows].map((row) => row.map(oneLine));
    const widths = heading.map((_, column) =>
      Math.max(...all.map((row) => row[column]?.length ?? 0)),
    );
    const lines = all.map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
    return lines.map((line, index) => (index === 0 ? this.painted('dim', line) : line)).join('\n');
  }

  /** Whether results are read by a person. */
  get isTerminal(): boolean {
    return this.streams.stdout.isTTY;
  }

  /** Whether lines of progress may change in place. */
  get isLive(): boolean {
    return this.streams.stderr.isTTY && this.env['TERM'] !== 'dumb';
  }

  painted(paint: Paint, text: string): string {
    const { stdout, stderr } = this.streams;
    const isPlain = this.env['NO_COLOR'] !== undefined && this.env['NO_COLOR'] !== '';
    if (isPlain || this.env['TERM'] === 'dumb' || !(stdout.isTTY && stderr.isTTY)) return text;
    return `\u001b[${codes[paint]}m${text}\u001b[0m`;
  }

  /** Lines on standard error that are drawn anew in place. */
  liveRegion(): LiveRegion {
    return new LiveRegion(this.streams.stderr);
  }

  /**
   * Asks before something is done that cannot be taken back. Without a terminal nobody can answer:
   * then `flag` has to say it.
   */
  async confirm(question: string, flag: string): Promise<boolean> {
    const { stdin, stderr } = this.streams;
    if (!stdin.isTTY || !stderr.isTTY) {
      throw badInput(
        `${question} Say ${flag} to agree: there is no terminal to ask at. Nothing was changed.`,
      );
    }
    const terminal = createInterface({ input: stdin, output: stderr });
    try {
      return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
    } finally {
      terminal.close();
    }
  }
}

function oneLine(text: string): string {
  return text.replace(/[\t\r\n]+/g, ' ');
}

function rowsAsObjects(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
): Record<string, string>[] {
  return rows.map((row) =>
    Object.fromEntries(heading.map((name, column) => [name.toLowerCase(), row[column] ?? ''])),
  );
}
