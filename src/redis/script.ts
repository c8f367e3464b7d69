// The Lua scripts. Those of the kernel lie in the folder `scripts` beside this file, those of an
// area in its own folder (the build copies both). Scripts fence, move and write; they decide
// nothing. A line `--@include lib/<name>.lua` stands for that file of the kernel's folder.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const kernelFolder = new URL('./scripts/', import.meta.url);
const includeLine = /^--@include (lib\/[a-z-]+\.lua)$/m;

/** One script, named after its file. */
export class Script {
  readonly sha: string;

  constructor(
    readonly name: string,
    readonly source: string,
  ) {
    this.sha = createHash('sha1').update(source).digest('hex');
  }

  /** The script of a file in `folder`, by default the kernel's. */
  static named(name: string, folder: URL = kernelFolder): Script {
    const text = readFileSync(new URL(`${name}.lua`, folder), 'utf8');
    const source = text.replace(includeLine, (_line, part: string) =>
      readFileSync(new URL(part, kernelFolder), 'utf8'),
    );
    return new Script(name, source);
  }
}
