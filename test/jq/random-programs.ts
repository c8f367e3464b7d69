// Random jq programs over the recorded input: paths, filters, arithmetic, constructions and the
// functions that definitions use. Kinds are mostly kept apart, because most programs would
// otherwise end in errors.
import fc from 'fast-check';

const pick = (...items: string[]): fc.Arbitrary<string> => fc.constantFrom(...items);

interface Grammar {
  number: string;
  text: string;
  list: string;
  map: string;
  truth: string;
  any: string;
}

const grammar = fc.letrec<Grammar>((tie: fc.LetrecTypedTie<Grammar>) => ({
  number: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    pick('1', '2', '0', '-3', '.a[0]', '.a[-1]', '.f', '.l[1].v', '(.a | length)'),
    fc
      .tuple(tie('number'), pick('+', '-', '*'), tie('number'))
      .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
    fc.tuple(tie('list'), pick('length', 'add // 0')).map(([a, name]) => `(${a} | ${name})`),
    fc.tuple(tie('text'), pick('length', 'utf8bytelength')).map(([a, f]) => `(${a} | ${f})`),
    fc.tuple(tie('number'), pick('floor', 'ceil', 'fabs')).map(([a, f]) => `(${a} | ${f})`),
    fc.tuple(tie('list'), tie('any')).map(([a, b]) => `(reduce ${a}[] as $x (0; . + 1) , ${b})`),
  ),
  text: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    pick('.s', '.b.x', '"a"', '"a,b,a"', '""', '.l[0].n', '"é"'),
    fc
      .tuple(
        tie('text'),
        pick(
          'ascii_upcase',
          'ascii_downcase',
          '.[1:3]',
          '.[:-1]',
          'ltrimstr("a")',
          'rtrimstr("d")',
          'sub("o"; "0")',
          'gsub("[lo]"; "-")',
          '@base64',
          '@uri',
          '@html',
        ),
      )
      .map(([a, f]) => `(${a} | ${f})`),
    fc.tuple(tie('text'), tie('text')).map(([a, b]) => `(${a} + ${b})`),
    fc.tuple(tie('text'), tie('number')).map(([a, b]) => `"\\(${a}): \\(${b})"`),
    tie('any').map((a) => `(${a} | type)`),
    tie('any').map((a) => `(${a} | tojson)`),
    tie('text').map((a) => `(${a} | split("l") | join("_"))`),
  ),
  list: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    pick('.a', '.l', '[]', '[.l[].v]', '[.l[].n]', '[1, "x", null]'),
    fc.array(tie('any'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
    fc
      .tuple(
        tie('list'),
        pick('sort', 'unique', 'reverse', '.[1:]', 'map(type)', 'flatten', '[.[] | tostring]'),
      )
      .map(([a, f]) => `(${a} | ${f})`),
    fc.tuple(tie('list'), tie('truth')).map(([a, b]) => `[${a}[] as $x | select(${b}) | $x]`),
    fc.tuple(tie('list'), tie('list')).map(([a, b]) => `(${a} + ${b})`),
    fc.tuple(tie('list'), tie('list')).map(([a, b]) => `(${a} - ${b})`),
    tie('map').map((a) => `(${a} | to_entries)`),
    tie('map').map((a) => `(${a} | keys)`),
    tie('list').map((a) => `(${a} | group_by(type) | map(length))`),
  ),
  map: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    pick('.b', '.l[0]', '{}', '{a: .s}'),
    fc.tuple(tie('any'), tie('any')).map(([a, b]) => `{k: ${a}, "m": ${b}}`),
    fc.tuple(tie('map'), tie('map')).map(([a, b]) => `(${a} + ${b})`),
    fc.tuple(tie('map'), tie('map')).map(([a, b]) => `(${a} * ${b})`),
    fc.tuple(tie('map'), tie('any')).map(([a, b]) => `(${b} as $v | ${a} | .new = $v)`),
    tie('map').map((a) => `(${a} | del(.x))`),
    tie('map').map((a) => `(${a} | with_entries(.value |= tostring))`),
    tie('map').map((a) => `(${a} | map_values(type))`),
  ),
  truth: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    pick('true', 'false', '.b.y', 'null'),
    fc
      .tuple(tie('any'), pick('==', '!=', '<', '<=', '>', '>='), tie('any'))
      .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
    fc
      .tuple(tie('truth'), pick('and', 'or'), tie('truth'))
      .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
    tie('truth').map((a) => `(${a} | not)`),
    fc
      .tuple(tie('text'), pick('test("o")', 'startswith("h")', 'contains("l")'))
      .map(([a, f]) => `(${a} | ${f})`),
    fc.tuple(tie('map'), pick('x', 'k')).map(([a, key]) => `(${a} | has("${key}"))`),
    fc.tuple(tie('list'), tie('any')).map(([a, b]) => `(${b} as $v | ${a} | any(. == $v))`),
  ),
  any: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    tie('number'),
    tie('text'),
    tie('list'),
    tie('map'),
    tie('truth'),
    fc.tuple(tie('any'), tie('any')).map(([a, b]) => `(${a} // ${b})`),
    fc
      .tuple(tie('truth'), tie('any'), tie('any'))
      .map(([a, b, c]) => `(if ${a} then ${b} else ${c} end)`),
    fc.tuple(tie('list'), pick('.[0]', '.[]?', 'first', 'last')).map(([a, f]) => `(${a} | ${f})`),
    fc.tuple(tie('map'), pick('.k', '.x?', '.["n"]')).map(([a, f]) => `(${a} | ${f})`),
    fc.tuple(tie('any'), tie('any')).map(([a, b]) => `(try (${a} | .x) catch (${b}))`),
  ),
}));

export const program: fc.Arbitrary<string> = grammar.any;
