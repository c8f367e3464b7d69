// Files of this machine that tasks may touch: those inside the folders that the setting
// documentFolders names, and no others, also when a link leads out of a folder.
import fs from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { FinalFailure } from '../final-failure.js';

const filesListedMax = 10_000;

export class DocumentFolders {
  constructor(
    private readonly folders: readonly string[],
    /** Bytes of one file that is read. */
    private readonly bytesMax: number,
  ) {}

  /** Throws FinalFailure for a file that is not there or may not be read, or is too large. */
  async read(file: string): Promise<Buffer> {
    const real = await this.existing(file);
    const stat = await fs.stat(real);
    if (!stat.isFile()) throw new FinalFailure(`${file} is no file`);
    const { size } = stat;
    if (size > this.bytesMax) {
      throw new FinalFailure(`${file} is longer than ${this.bytesMax} bytes`);
    }
    return await fs.readFile(real);
  }

  /** `file:` addresses of all files below a folder with one of the endings (without: of any). */
  async list(folder: string, endings: readonly string[]): Promise<string[]> {
    const real = await this.existing(folder);
    const entries = await fs.readdir(real, { recursive: true, withFileTypes: true });
    const wanted = endings.map((ending) => `.${ending.replace(/^\./, '').toLowerCase()}`);
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .filter((file) => wanted.length === 0 || wanted.includes(path.extname(file).toLowerCase()))
      .sort();
    if (files.length <= filesListedMax) return files.map((file) => pathToFileURL(file).href);
    throw new FinalFailure(`${folder} holds more than ${filesListedMax} such files`);
  }

  /** Writes a file whole or not at all; its `file:` address. */
  async write(file: string, bytes: Uint8Array): Promise<string> {
    const folder = await this.existing(path.dirname(file));
    const target = path.join(folder, path.basename(file));
    const isLink = await fs.lstat(target).then(
      (stat) => stat.isSymbolicLink(),
      () => false,
    );
    if (isLink) throw new FinalFailure(`${file} is a link`);
    const draft = `${target}.${process.pid}.tmp`;
    await fs.writeFile(draft, bytes);
    await fs.rename(draft, target);
    return pathToFileURL(target).href;
  }

  /** The real path of something that exists inside an allowed folder. Throws FinalFailure. */
  async existing(file: string): Promise<string> {
    this.#requireInside(path.resolve(file), this.folders, file);
    const real = await fs.realpath(file).catch(() => undefined);
    if (real === undefined) throw new FinalFailure(`There is no file or folder ${file}`);
    const roots = await Promise.all(
      this.folders.map((folder) => fs.realpath(folder).catch(() => folder)),
    );
    this.#requireInside(real, roots, file);
    return real;
  }

  #requireInside(file: string, roots: readonly string[], shown: string): void {
    const isInside = roots.some((root) => {
      const relative = path.relative(root, file);
      return (
        relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative)
      );
    });
    if (isInside) return;
    throw new FinalFailure(`${shown} is in no folder that the setting documentFolders names`);
  }
}
