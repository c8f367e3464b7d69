// The programs that are asked of other implementations of jq, and what two answers have in common.
import { readFileSync } from 'node:fs';
import type { Json, JsonMap } from '../../packages/jq/src/json.js';
import { isMap } from '../../packages/jq/src/json.js';
import { parseJson, toJsonText } from '../../src/model/json-text.js';
import { runJq, tryJqInPlace } from '../../src/sandbox/run-jq.js';

interface Recorded {
  program: string;
  results?: Json[];
  /** No result at all but an error. */
  fails?: true;
}

/** The input of the recording. */
export const recordedInput: Json = {
  a: [1, 2, 3],
  b: { x: 'foo', y: null },
  s: 'hello world',
  l: [
    { n: 'z', v: 2 },
    { n: 'a', v: 1 },
    { n: 'z', v: 0 },
  ],
  t: 1425599621,
  f: 1.5,
};

/** Answers of jq 1.8 to programs on `recordedInput`. */
export const recorded: readonly Recorded[] = readFileSync(
  new URL('recorded-answers.jsonl', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

export interface Question {
  readonly program: string;
  readonly input: Json;
}

export interface Answer {
  /** None where the program fails, even after some results. */
  readonly results: readonly Json[];
  readonly fails: boolean;
}

/** Programs of definitions, and what the recording leaves out. */
const more: readonly Question[] = [
  {
    program: '{ t: .input.t // ".body", m: .input.m // "GET" }',
    input: { input: { t: null, m: 'PUT' } },
  },
  { program: '.items | map(select(.price > 2) | {(.name): .price}) | add', input: shop() },
  { program: '[.items[] | .price * .count] | add', input: shop() },
  { program: '.items | sort_by(.price, .name) | map(.name)', input: shop() },
  { program: '.items | group_by(.kind) | map({kind: .[0].kind, n: length})', input: shop() },
  { program: '.items | map(.kind) | unique', input: shop() },
  { program: '.tags | join(",")', input: {} },
  { program: '.name | split(",")', input: { name: '' } },
  { program: '[.items[] | "\\(.name): \\(.price)"] | join("; ")', input: shop() },
  { program: '.items | max_by(.price) | .name', input: shop() },
  { program: '.items[] | select(.name | test("^p")) | .name', input: shop() },
  { program: '.items | to_entries | map("\\(.key)=\\(.value.name)")', input: shop() },
  { program: 'reduce .items[] as $i ({}; .[$i.kind] += $i.count)', input: shop() },
  { program: '.items | any(.price > 3), all(.price > 3)', input: shop() },
  { program: '.items | index({"name": "x"})', input: shop() },
  { program: '[.items[] | if .count > 1 then "many" else "one" end]', input: shop() },
  { program: '.items[0] | keys, has("name"), length', input: shop() },
  { program: '.owner.address.city // "nowhere"', input: shop() },
  { program: '.items | map(.name | ascii_upcase | ltrimstr("P"))', input: shop() },
  { program: '.items | map(.price) | [min, max, (add / length)]', input: shop() },
  { program: '[.. | numbers]', input: shop() },
  { program: '[.items[].name | split("") | .[0]]', input: shop() },
  { program: '.items | first, last | .name', input: shop() },
  { program: '.items | [.[] | with_entries(.key |= ascii_upcase)] | .[0]', input: shop() },
  { program: '[limit(2; .items[].name)]', input: shop() },
  { program: '.items | flatten | map(.count) | reverse', input: shop() },
  { program: 'try error("x") catch .', input: null },
  { program: '.a.b.c', input: { a: null } },
  { program: '.[] as [$a, $b] | $a + $b', input: [[1, 2], [3, 4]] },
  { program: '[.[] | tostring]', input: [1, 'a', null, true, [1], { a: 1 }] },
  { program: '[.[] | tojson | fromjson]', input: [1, 'a', null, true, [1], { a: 1 }] },
  { program: 'map(. as $x | {v: $x, t: ($x | type)})', input: [1, 'a', null, true, [1], {}] },
  { program: 'sort', input: [{ b: 1 }, { a: 2 }, [1], [0, 5], 'b', 'a', 2, 1, true, false, null] },
  { program: '.[2:4], .[-2:], .[:1]', input: ['a', 'b', 'c', 'd', 'e'] },
  { program: 'walk(if type == "number" then . + 1 else . end)', input: [1, [2, { a: 3 }]] },
  { program: 'def f(x): x * 2; map(f(.))', input: [1, 2] },
  { program: '. as {a: $x, b: [$y]} | $x + $y', input: { a: 1, b: [2] } },
  { program: '. - ["a"], (. | contains(["b"])), inside(["a", "b", "c"])', input: ['a', 'b'] },
  { program: '. * {b: {d: 2}}', input: { a: 1, b: { c: 1 } } },
  { program: '[range(0; 10; 3)], [range(3)]', input: null },
  { program: '@csv, @tsv', input: [1, 'a"b', null, true] },
  { program: '@html, @uri, @base64, @json', input: '<a b="c">&é' },
]; // prettier-ignore

function shop(): Json {
  return {
    owner: { name: 'Ann', address: {} },
    items: [
      { name: 'pear', kind: 'fruit', price: 3, count: 2 },
      { name: 'plum', kind: 'fruit', price: 2.5, count: 1 },
      { name: 'kale', kind: 'leaf', price: 4, count: 5 },
    ],
  };
}

export const questions: readonly Question[] = [
  ...recorded.map(({ program }) => ({ program, input: recordedInput })),
  ...more,
];

/** As a script task gets it: in place, and where that is too little in a worker process. */
export function ownAnswer({ program, input }: Question): Answer {
  const result = tryJqInPlace(program, () => input);
  if (result === undefined) return workerAnswer({ program, input });
  return result.kind === 'value'
    ? { results: result.values ?? [], fails: false }
    : { results: [], fails: true };
}

function workerAnswer({ program, input }: Question): Answer {
  const limits = { timeMsMax: 10_000, memoryBytesMax: 2 ** 28, outputCharsMax: 2 ** 24 };
  const inputText = toJsonText(input);
  const answer = runJq({ language: 'jq', source: program, inputText, ...limits });
  if (answer.kind === 'limit') throw new Error(`${program} meets a limit: ${answer.message}`);
  return answer.kind === 'value'
    ? { results: parseJson(answer.text) as Json[], fails: false }
    : { results: [], fails: true };
}

/** JSON text of an answer, keys in order, so that equal answers have equal texts. */
export function canonical({ results, fails }: Answer): string {
  return fails ? 'fails' : JSON.stringify(sorted([...results]));
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isMap(value)) return typeof value === 'bigint' ? `${value}n` : value;
  const map: JsonMap = {};
  for (const key of Object.keys(value).sort()) map[key] = sorted(value[key] as Json);
  return map;
}

/** Answers as lines of JSON text. */
export function readAnswers(text: string): Answer[] {
  return text
    .trim()
    .split('\n')
    .map((line) => parseJson(line) as unknown as Answer);
}
