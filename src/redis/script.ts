// The Lua scripts, read from the folder `scripts` beside this file (the build copies it). Scripts
// fence, move and write; they decide nothing. A line `--@include lib/<name>.lua` stands for that
// file.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const folder = new URL('./scripts/', import.meta.url);
const includeLine = /^--@include (lib\/[a-z-]+\.lua)$/m;

/** One script, named after its file. */
export class Script {
  readonly source: string;
  readonly sha: string;

  /** `edit` changes the source, for planted faults only. */
  constructor(
    readonly name: string,
    edit: (source: string) => string = (source) => source,
  ) {
    const text = readFileSync(new URL(`${name}.lua`, folder), 'utf8');
    const source = text.replace(includeLine, (_line, part: string) =>
      readFileSync(new URL(part, folder), 'utf8'),
    );
    this.source = edit(source);
    this.sha = createHash('sha1').update(this.source).digest('hex');
  }
}
