// Numbers, durations and moments look alike on every page: one file writes them.
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '../../testkit/project.js';

const format = 'ui/src/state/format.ts';
/** What writes a number or a moment in another way. */
const others =
  /\.toLocale(?:Date|Time)?String\(|\.to(?:ISO|UTC|GMT|Date|Time)String\(|\.toFixed\(|\bIntl\./;

function sourcesBelow(folder: string): string[] {
  return fs
    .readdirSync(path.join(projectRoot, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const file = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return sourcesBelow(file);
      return /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts') ? [file] : [];
    });
}

it('only one file of the page says how numbers, durations and moments are written', () => {
  const found = sourcesBelow('ui/src').filter((file) =>
    others.test(fs.readFileSync(path.join(projectRoot, file), 'utf8')),
  );
  expect(found).toEqual([format]);
});
