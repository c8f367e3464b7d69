// Tests do not say within how many milliseconds something is done: on a busy machine that fails.
// They compare with other work of the same run (test/support/work-meanwhile.ts), or with a wait
// that is longer than a test may take.
import { expect, it } from 'vitest';
import { filesBelow, readProjectFile } from './source-tree.js';

/** Folders of figures, and of times of a virtual clock. */
const left = ['test/bench/', 'test/simulation/', 'test/engine/'];

const time = String.raw`(performance\.now\(\)|Date\.now\(\)|\b(ms|\w+Ms|took|elapsed)\b(?!\??\.))`;
const number = String.raw`\d[\d_]*(_000)?`;
const absolute = new RegExp(
  String.raw`expect\([^;]*${time}[^;]*\)\s*\.toBeLessThan(OrEqual)?\(${number}\)`,
);

/** Lines of a test that assert less than a number of milliseconds. */
function assertions(text: string): string[] {
  return text.split('\n').filter((line) => absolute.test(line));
}

it('no test asserts an absolute time', () => {
  const found = filesBelow('test', ['.test.ts'])
    .filter((name) => !left.some((folder) => name.startsWith(folder)))
    .flatMap((name) => assertions(readProjectFile(name)).map((line) => `${name}: ${line.trim()}`));
  expect(found).toEqual([]);
});

it('an absolute time is found', () => {
  const planted = ['performance.now() - at', 'ms', 'tookMs', 'Math.max(...slowestMs)'];
  for (const what of planted) {
    expect(assertions(`expect(${what}).toBeLess${'Than'}(2_000);`), what).toHaveLength(1);
  }
  expect(assertions(`expect(tookMs).toBeLess${'Than'}(20 * otherMs);`)).toEqual([]);
});
