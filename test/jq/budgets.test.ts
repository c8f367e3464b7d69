// What a program may cost on the thread that serves everybody: every program ends soon, and none
// takes memory without end, whatever a single step of it asks for.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../packages/jq/src/json.js';
import { tryJqInPlace } from '../../src/sandbox/run-jq.js';
import { processorMs } from '../support/work-meanwhile.js';

/** Processor time of a program that takes all steps it may, which nothing else ends. */
let allStepsMs = Infinity;
/** How many times as long one may take that asks for much in each step. */
const timesMax = 1000;
const bytesMax = 64 * 1024 * 1024;

const deepInput: Json = {
  rows: Array.from({ length: 2_000 }, (_, i) => ({ id: i, name: `row ${i}` })),
  long: 'x'.repeat(1_000_000),
};

function run(program: string, input: Json): string {
  const result = tryJqInPlace(program, () => input);
  return result === undefined ? 'not in place' : result.kind;
}

/** Ends within the bounds of time and memory, and not with a value. */
function expectGivenUp(program: string, input: Json): void {
  const memory = process.memoryUsage();
  let result = '';
  const ms = processorMs(() => (result = run(program, input)));
  expect(['not in place', 'error']).toContain(result);
  expect(ms).toBeLessThan(timesMax * allStepsMs);
  const now = process.memoryUsage();
  const growth = now.heapUsed + now.external - memory.heapUsed - memory.external;
  expect(growth).toBeLessThan(bytesMax);
}

describe('programs that take too much in place are given up', () => {
  beforeAll(() => {
    const tries = Array.from({ length: 5 }, () => processorMs(() => run('[range(1e9)]', 0)));
    allStepsMs = Math.min(...tries);
  });

  it.each([
    ['steps without end', '[range(1e9)]'],
    ['a recursion', 'def f: f; f'],
    ['a recursion that grows', 'def f: f | f; f'],
    ['results without end', '[limit(100000; repeat(1))]'],
    ['a text of a gigabyte', '"x" * 1e9'],
    ['a list that grows', '[.] | until(false; . + .)'],
    ['the last of many', 'last(range(1e12))'],
    ['a deep recursion', '[recurse(if . < 100000 then . + 1 else empty end)]'],
    ['combinations', `${'['.repeat(200)}1${']'.repeat(200)} | [..] | combinations`],
    ['a result that shares its parts', 'reduce range(40) as $i (1; [., .])'],
    ['a map that shares its parts', 'reduce range(40) as $i (1; {a: ., b: .})'],
    ['a text of shared parts', 'reduce range(40) as $i (1; [., .]) | tojson'],
    ['a shared part in a text', 'reduce range(40) as $i (1; [., .]) | "\\(.)"'],
    ['shared parts as CSV', 'reduce range(40) as $i (1; [., .]) | [tojson] | @csv'],
    ['a flat list of shared parts', 'reduce range(40) as $i (1; [., .]) | flatten'],
    ['an order of shared parts', 'reduce range(40) as $i (1; [., .]) | [., [.]] | sort'],
    ['a comparison', '[range(2)] | map(reduce range(40) as $i (1; [., .])) | .[0] == .[1]'],
    ['a search', 'reduce range(40) as $i (1; [., .]) | index([[1]])'],
    ['containment', 'reduce range(40) as $i (1; [., .]) | contains([[2]])'],
    ['a stream', 'reduce range(40) as $i (1; [., .]) | [tostream]'],
    ['a difference', 'reduce range(40) as $i (1; [., .]) | . - [[1]]'],
    ['groups', '[range(3)] | group_by(reduce range(40) as $i (1; [., .]))'],
    ['a merge', 'reduce range(40) as $i ({}; {a: ., b: .}) | . * .'],
    ['an error that shows its value', 'reduce range(40) as $i (1; [., .]) | . + 1'],
    ['an error that is a value', 'reduce range(40) as $i (1; [., .]) | error'],
    ['many long texts', '[limit(4000; repeat("x" * 16000000 | ascii_downcase))]'],
    ['many long keys', 'reduce range(24) as $i ("x"; . + .) | [limit(4000; repeat({(.): 1}))]'],
    ['many long lists', '[limit(4000; repeat([] | .[999999] = 1))]'],
    ['a transposed triangle', '[range(60) | [range(60)]] | [limit(500; repeat(transpose))]'],
    [
      'changes of a large map',
      '[range(400) | {key: tostring, value: 1}] | from_entries | .[] += 1',
    ],
    ['a pattern in a long text', '("ab" * 100000) | test("(a|b)+c")'],
    ['many patterns', '[range(4000) | "a{1000}\\(.)"] | map(. as $p | "x" | test($p))'],
    ['replacements', '("ab" * 20000) | gsub("a"; "c")'],
  ])('%s', (_what, program) => {
    expectGivenUp(program, 0);
  });

  it.each([
    ['every row changed', '.rows[].id |= . + 1'],
    ['texts compared', '[limit(4000; repeat(.long == .long + ""))]'],
    ['a text cut', '[limit(4000; repeat(.long[1:2]))]'],
    ['a text split', '.long / "x"'],
  ])('%s', (_what, program) => {
    expectGivenUp(program, deepInput);
  });
});

describe('programs of definitions stay in place', () => {
  it.each([
    '.rows[0].name',
    '[.rows[:50][] | select(.id > 5) | {id, n: .name}]',
    '.rows | length',
    '{ t: .t // "none", first: .rows[0].id, l: (.long | length > 5) } | del(.l)',
    '.rows[:20] | map(.name | sub("row "; "")) | join(",")',
    '.rows[:20] | group_by(.id % 2) | map(length)',
    '.rows[:20] | map({(.name): .id}) | add | to_entries | map(.value) | add',
  ])('%s', (program) => {
    const { rows } = deepInput as { rows: Json };
    expect(run(program, { rows, long: 'short' })).toBe('value');
  });
});
