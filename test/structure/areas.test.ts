import { describe, expect, it } from 'vitest';
import type { Area } from '../../src/areas/area.js';
import { areas } from '../../src/areas/list.js';
import { readModules, readProjectFile } from './source-tree.js';

const modules = readModules('src/areas');

/** The area that a file lies in; undefined for the contract beside them. */
function roomOf(path: string): string | undefined {
  return /^src\/areas\/([\w-]+)\//.exec(path)?.[1];
}

const inRooms = modules.filter(({ path }) => roomOf(path) !== undefined);

/** The picture of the areas: a row each, in docs/architecture.md section 2.1. */
function picture(): string[] {
  return (areas as readonly Area[]).map((area) => {
    const { name, about, needs, needsFirst = [], lends = [], recordKinds, taskTypes = [] } = area;
    const others = inRooms
      .filter(({ path }) => roomOf(path) === name)
      .flatMap(({ imports }) => imports.map(roomOf))
      .filter((other) => other !== undefined && other !== name);
    const uses = [...new Set(others)].sort();
    const asked = [...new Set([...needsFirst, ...needs])];
    const types = taskTypes.map((type) => type.name);
    const cells = [asked, lends, recordKinds, types, uses].map((names) => names.join(', '));
    return `| \`${name}\` | ${about} | ${cells.join(' | ')} |`;
  });
}

describe('the areas', () => {
  it('have a room each, and every room is an area', () => {
    const rooms = [...new Set(inRooms.map(({ path }) => roomOf(path)))];
    expect(rooms.sort()).toEqual(areas.map(({ name }) => name).sort());
  });

  it('import another area by its port only', () => {
    const wrong = inRooms.flatMap(({ path, imports }) =>
      imports
        .filter((name) => (roomOf(name) ?? roomOf(path)) !== roomOf(path))
        .filter((name) => !name.endsWith('/port.ts'))
        .map((name) => `${path} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('are given the store in their stores, keys and checks only', () => {
    const mayImport = /\/(?:redis-[\w-]+|keys|checks)\.ts$/;
    const wrong = inRooms
      .filter(({ path }) => !mayImport.test(path))
      .flatMap(({ path, imports }) =>
        imports
          .filter((name) => name.startsWith('src/redis/'))
          .map((name) => `${path} imports ${name}`),
      );
    expect(wrong).toEqual([]);
  });

  it('need no port that no area needs', () => {
    const ports = [...readProjectFile('src/areas/ports.ts').matchAll(/^ {2}readonly (\w+):/gm)];
    const needed = new Set<string>(
      areas.flatMap(({ needs, needsFirst = [] }) => [...needs, ...needsFirst]),
    );
    expect(ports.map(([, name]) => name).filter((name = '') => !needed.has(name))).toEqual([]);
  });

  it('lend the kernel all that it asks of them, each thing once', () => {
    const asked = [...readProjectFile('src/areas/lent.ts').matchAll(/^ {2}readonly (\w+):/gm)];
    const lent = areas.flatMap(({ lends = [] }) => [...lends]);
    expect([...lent].sort()).toEqual(asked.map(([, name]) => name).sort());
  });

  it('stand in the architecture as they are', () => {
    const page = readProjectFile('docs/architecture.md').split('\n');
    const rows = page.filter((line) => /^\| `[\w-]+` \|(?: .* \|){6}$/.test(line));
    expect(rows).toEqual(picture());
  });
});
