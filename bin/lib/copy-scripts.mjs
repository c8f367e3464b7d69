// The Lua scripts of the server lie beside the code in src, and at the same places in what is built.
import fs from 'node:fs';
import path from 'node:path';

/** Copies what is no TypeScript to the same places below `target`. */
export function copyScripts(source, target) {
  for (const entry of fs.readdirSync(source, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('.ts')) continue;
    const from = path.join(entry.parentPath ?? entry.path, entry.name);
    const to = path.join(target, path.relative(source, from));
    fs.mkdirSync(path.dirname(to), { recursive: true });
    fs.copyFileSync(from, to);
  }
}
