// The code of a tutorial of the handbook, taken out of its Markdown into a copy of the sources: a
// block `ts PATH` is a file, a block `diff` adds lines behind one that is there.
import fs from 'node:fs';
import path from 'node:path';

interface Step {
  /** Of a diff: the newest path that the text before it names. */
  readonly file: string;
  readonly language: 'ts' | 'diff';
  readonly text: string;
}

export function readSteps(markdown: string): Step[] {
  const steps: Step[] = [];
  let file = '';
  const parts = /`(src\/[\w/.-]+\.ts)`|```(?:ts (\S+)|diff)\n([^]*?)```/g;
  for (const [, named, made, text = ''] of markdown.matchAll(parts)) {
    if (named !== undefined) file = named;
    else if (made === undefined) steps.push({ file, language: 'diff', text });
    else steps.push({ file: made, language: 'ts', text });
  }
  return steps;
}

/** Carries the steps out below a folder. Throws when a line is not there, or twice. */
export function carryOut(steps: readonly Step[], folder: string): void {
  for (const { file, language, text } of steps) {
    const target = path.join(folder, file);
    if (language === 'ts') {
      fs.mkdirSync(path.dirname(target), { recursive: true });
      fs.writeFileSync(target, text);
    } else {
      fs.writeFileSync(target, patched(file, fs.readFileSync(target, 'utf8'), text));
    }
  }
}

function patched(file: string, source: string, diff: string): string {
  const lines = diff.split('\n').filter((line) => line !== '');
  const [place = ''] = lines.filter((line) => !line.startsWith('+')).map((line) => line.slice(1));
  const added = lines.filter((line) => line.startsWith('+')).map((line) => line.slice(1));
  const [before, after, ...more] = source.split(`\n${place}\n`);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`${file} has the line ${place} not exactly once`);
  }
  return [before, place, ...added, after].join('\n');
}
