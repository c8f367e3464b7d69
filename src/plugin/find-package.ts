// Finds the package of a plug-in as Node finds packages, without loading it: the folders
// node_modules from a place upwards, or a folder that is named itself.
import fs from 'node:fs';
import path from 'node:path';

export interface FoundPackage {
  readonly folder: string;
  readonly version: string;
  /** The module that it exports. */
  readonly entry: string;
}

/** `name`: of a package, or an absolute path. Throws an Error when its package.json is unusable. */
export function findPackage(name: string, places: readonly string[]): FoundPackage | undefined {
  const folders = path.isAbsolute(name)
    ? [name]
    : places.flatMap(upwards).map((place) => path.join(place, 'node_modules', name));
  const folder = folders.find((each) => fs.existsSync(path.join(each, 'package.json')));
  return folder === undefined ? undefined : readPackage(folder);
}

function upwards(place: string): string[] {
  const parent = path.dirname(place);
  return parent === place ? [place] : [place, ...upwards(parent)];
}

function readPackage(folder: string): FoundPackage {
  const file = path.join(folder, 'package.json');
  const { version, exports, main } = JSON.parse(fs.readFileSync(file, 'utf8')) as {
    [key: string]: unknown;
  };
  const entry = entryIn(exports) ?? entryIn(main) ?? 'index.js';
  return {
    folder,
    version: typeof version === 'string' ? version : '',
    entry: path.join(folder, entry),
  };
}

/** The file behind `exports`: a text, or behind ".", "import" or "default". */
function entryIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const { '.': own, import: imported, default: byDefault } = value as { [key: string]: unknown };
  return entryIn(own) ?? entryIn(imported) ?? entryIn(byDefault);
}
