// What tasks do in the name of who started their execution, as docs/access.md tells it.
import { describe, expect, it } from 'vitest';
import { rights, targetTypes } from '../../src/access/access-rules.js';
import type { Reach } from '../../src/engine/reaches.js';
import { engineTaskTypes } from '../../src/engine/task-types/list.js';
import { systemTaskTypes } from '../support/every-plugin.js';
import { readProjectFile } from './source-tree.js';

const types: [name: string, reaches: readonly Reach[]][] = [
  ...engineTaskTypes.flatMap(({ names, reaches }) =>
    names.map((name): [string, readonly Reach[]] => [name, reaches]),
  ),
  ...[...systemTaskTypes.values()].map(({ name, reaches }): [string, readonly Reach[]] => [
    name,
    reaches,
  ]),
];

const page = readProjectFile('docs/access.md');
const section = page.slice(page.indexOf("## What runs in an execution's name"));

describe("docs/access.md, What runs in an execution's name", () => {
  it('has a row for each right that a type needs, and no other', () => {
    const rows = types.flatMap(([name, reaches]) =>
      reaches.map(({ right, target, named }) => `| ${name} | ${right} | ${target} | ${named} |`),
    );
    const written = section
      .slice(0, section.indexOf('\n## '))
      .split('\n')
      .filter((line) => /^\| [A-Z_]+ \|/.test(line));
    expect(written.toSorted()).toEqual(rows.toSorted());
  });

  it('names the types that reach nothing', () => {
    const named = /^Nothing beyond .*?: (.*)\.$/m.exec(section)?.[1]?.split(', ');
    const nothing = types.filter(([, reaches]) => reaches.length === 0).map(([name]) => name);
    expect(named?.toSorted()).toEqual(nothing.toSorted());
  });

  it('names rights and kinds of resources that grants have', () => {
    for (const [name, reaches] of types) {
      for (const { right, target } of reaches) {
        expect([name, rights, targetTypes]).toEqual([
          name,
          expect.arrayContaining([right]),
          expect.arrayContaining([target]),
        ]);
      }
    }
  });
});
