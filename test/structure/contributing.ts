// Executes the table "How to add ..." of CONTRIBUTING.md: which members a folder has, and which of
// them their list lacks.
import path from 'node:path';

export interface Kind {
  /** `a command`. */
  readonly title: string;
  /** Glob of the files with members: `*` is a name, `**` any folders. */
  readonly folder: string;
  /** What declares a member in its file; `FILE`: the file itself is the member. */
  readonly member: string;
  /** Globs of the files that list members. */
  readonly lists: readonly string[];
  /** How a list names the member NAME. */
  readonly entry: string;
}

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Rows of the table whose header begins with `| to add | write a member |`. */
export function readKinds(markdown: string): Kind[] {
  const lines = markdown.split('\n');
  const header = lines.findIndex((line) => line.startsWith('| to add | write a member |'));
  if (header < 0) return [];
  const end = lines.findIndex((line, i) => i > header && !line.startsWith('|'));
  return lines.slice(header + 2, end < 0 ? undefined : end).map((line) => {
    const cells = line.split('|').map((cell) => cell.trim().replace(/^`|`$/g, ''));
    const [, title = '', folder = '', member = '', list = '', entry = ''] = cells;
    return { title, folder, member, lists: list.split(/`? or `?/), entry };
  });
}

/** Matches the names of files that a glob names. */
export function globPattern(glob: string): RegExp {
  const pattern = escape(glob).replaceAll('\\*\\*/', '(?:.+/)?').replaceAll('\\*', '[^/]*');
  return new RegExp(`^${pattern}$`);
}

/** Names of the members that a file declares. */
export function membersOf(kind: Kind, file: SourceFile): string[] {
  if (kind.member === 'FILE') return [path.posix.basename(file.path).replace(/\.\w+$/, '')];
  const name = String.raw`(\w+)`;
  const pattern = escape(kind.member)
    .replace(/(\w*)…(\w*)/, (_all, before: string, after: string) => `(${before}\\w*${after})`)
    .replace('NAME', name);
  return [...file.text.matchAll(new RegExp(`^${pattern}`, 'gm'))].map((match) => match[1] ?? '');
}

/** Whether a list, its imports left out, names the member. */
export function isEntered(kind: Kind, name: string, list: SourceFile): boolean {
  const text = list.text.replace(/^import\b[^;]*;/gm, '');
  const pattern = escape(kind.entry).replace('…', '[^{]*').replace('NAME', `\\b${name}\\b`);
  return new RegExp(pattern).test(text);
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
