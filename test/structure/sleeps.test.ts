// Tests wait for conditions, not for times (testkit/until.ts): none sleeps.
import { expect, it } from 'vitest';
import { filesBelow, readProjectFile } from './source-tree.js';

const ways = [
  /import \{[^}]*\bpause\b[^}]*\} from '[^']*\/until\.js'/,
  /import \{[^}]*\bsetTimeout\b[^}]*\} from 'node:timers\/promises'/,
  /\(resolve\) => setTimeout\(resolve/,
];

it('no test file sleeps', () => {
  const sleeping = filesBelow('test', ['.test.ts']).filter(
    (name) =>
      name !== 'test/structure/sleeps.test.ts' &&
      ways.some((way) => way.test(readProjectFile(name))),
  );
  expect(sleeping).toEqual([]);
});
