// Random scripts over what runs in place, with what commonly goes wrong: coercions, missing
// members, truthiness. Kinds are mostly kept apart, because most scripts would otherwise end in
// errors, which go to the other engine anyway.
import fc from 'fast-check';

const pick = (...items: string[]): fc.Arbitrary<string> => fc.constantFrom(...items);
const rarely = (common: fc.Arbitrary<string>, rare: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 12, arbitrary: common }, { weight: 1, arbitrary: rare });

interface Grammar {
  primitive: string;
  text: string;
  list: string;
  map: string;
  any: string;
}

const grammar = fc.letrec<Grammar>((tie: fc.LetrecTypedTie<Grammar>) => ({
  primitive: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    pick(
      '$.n',
      '$.z',
      '$.neg',
      '$.s',
      '$.e',
      '$.t',
      '$.f',
      '$.nul',
      '$.missing',
      'v',
      'w',
      '1',
      '0',
      '-1.5',
      '"10"',
      '"a"',
      'undefined',
      'NaN',
    ),
    fc
      .tuple(
        tie('primitive'),
        pick(
          '+',
          '-',
          '*',
          '/',
          '%',
          '<',
          '>',
          '<=',
          '>=',
          '==',
          '!=',
          '===',
          '!==',
          '&&',
          '||',
          '??',
          '&',
          '|',
          '^',
          '<<',
          '>>',
          '>>>',
        ),
        rarely(tie('primitive'), tie('any')),
      )
      .map(([a, operator, b]) => `((${a}) ${operator} (${b}))`),
    fc
      .tuple(tie('any'), pick('==', '!=', '===', '!=='), tie('any'))
      .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
    fc
      .tuple(pick('!', '-', '+', '~', 'typeof ', 'void '), rarely(tie('primitive'), tie('any')))
      .map(([operator, a]) => `(${operator}(${a}))`),
    fc
      .tuple(tie('any'), tie('primitive'), tie('primitive'))
      .map(([a, b, c]) => `((${a}) ? (${b}) : (${c}))`),
    fc
      .tuple(tie('list'), rarely(pick('length', '[0]', '[1]', '[9]'), pick('x', '[-1]', '["1"]')))
      .map(([a, name]) => (name.startsWith('[') ? `${a}${name}` : `${a}.${name}`)),
    fc
      .tuple(tie('map'), rarely(pick('a', 'b', 'c', 'id'), pick('x', 'toString')))
      .map(([a, name]) => `${a}?.${name}`),
    fc.tuple(tie('primitive'), tie('text')).map(([a, b]) => `\`\${${a}}-\${${b}}\``),
    fc
      .tuple(
        pick(
          'Number',
          'String',
          'Boolean',
          'isNaN',
          'Math.round',
          'Math.floor',
          'Math.sign',
          'Number.isInteger',
        ),
        tie('primitive'),
      )
      .map(([name, a]) => `${name}(${a})`),
    fc.tuple(pick('parseInt', 'parseFloat'), tie('text')).map(([name, a]) => `${name}(${a})`),
    fc
      .tuple(pick('Math.max', 'Math.min'), tie('primitive'), tie('primitive'))
      .map(([name, a, b]) => `${name}(${a}, ${b})`),
    fc
      .tuple(
        tie('list'),
        pick(
          'join()',
          'indexOf(1)',
          'includes(2)',
          'size()',
          'isEmpty()',
          'contains("a")',
          'get(0)',
        ),
      )
      .map(([a, call]) => `${a}.${call}`),
    fc
      .tuple(tie('list'), pick('some', 'every', 'find', 'findIndex'), tie('primitive'))
      .map(([a, name, body]) => `${a}.${name}((v, w) => ${body})`),
    fc
      .tuple(tie('list'), tie('primitive'), tie('primitive'))
      .map(([a, body, start]) => `${a}.reduce((v, w) => ${body}, ${start})`),
    fc
      .tuple(tie('any'), tie('primitive'), tie('primitive'))
      .map(([a, b, c]) => `(function (v, w) { if (v) { return ${b}; } return ${c}; })(${a}, 2)`),
    tie('text'),
  ),
  text: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    pick('$.s', '$.e', '"abcabc"', '" 12px "', '"a,b"'),
    fc
      .tuple(
        tie('text'),
        pick(
          'slice(1)',
          'slice(-2, 4)',
          'trim()',
          'toUpperCase()',
          'toLowerCase()',
          'charAt(1)',
          'substring(3, 1)',
          'substr(-3, 2)',
          'repeat(2)',
          'padStart(8, "xy")',
          'padEnd(3)',
          'replace("a", "z")',
          'replaceAll("b", "")',
          'concat("q")',
        ),
      )
      .map(([a, call]) => `${a}.${call}`),
    fc.tuple(tie('list'), tie('text')).map(([a, b]) => `${a}.join(${b})`),
    tie('any').map((a) => `(typeof ${a})`),
    tie('map').map((a) => `JSON.stringify(${a})`),
  ),
  list: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    pick('$.list', '$.empty', '$.texts', '$.rows'),
    fc.array(tie('any'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
    fc.tuple(tie('list'), tie('any')).map(([a, b]) => `[...${a}, ${b}]`),
    fc
      .tuple(
        tie('list'),
        pick('slice(1)', 'slice(-1)', 'concat([1], 2)', 'filter(x => x)', 'map(x => [x])'),
      )
      .map(([a, call]) => `${a}.${call}`),
    fc
      .tuple(tie('list'), pick('map', 'filter'), tie('any'))
      .map(([a, name, body]) => `${a}.${name}((v, w) => (${body}))`),
    fc.tuple(tie('text'), pick('","', '""', '"b"')).map(([a, b]) => `${a}.split(${b})`),
    fc
      .tuple(pick('Object.keys', 'Object.values', 'Object.entries'), tie('map'))
      .map(([name, a]) => `${name}(${a})`),
  ),
  map: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    pick('$.map', '$.map.b', '$.loop', '$.rows[0]'),
    fc.tuple(tie('any'), tie('any')).map(([a, b]) => `({ a: ${a}, "b": ${b} })`),
    fc
      .tuple(tie('map'), tie('text'), tie('any'))
      .map(([a, key, b]) => `({ ...${a}, [${key}]: ${b} })`),
    fc.tuple(tie('map'), tie('map')).map(([a, b]) => `({ ...${a}, ...${b} })`),
    tie('map').map((a) => `JSON.parse(JSON.stringify(${a}))`),
  ),
  any: fc.oneof(tie('primitive'), tie('list'), tie('map'), fc.constant('(x => x)')),
}));
const { any, primitive } = grammar;

/** What the body of a function consists of: variables, `if` and `return`. */
const body: fc.Arbitrary<string> = fc.oneof(
  any.map((a) => `return ${a};`),
  fc.tuple(any, any, any).map(([a, b, c]) => `if (${a}) { return ${b}; } else { return ${c}; }`),
  fc.tuple(any, any, any).map(([a, b, c]) => `if (${a}) return ${b}; return ${c};`),
  fc.tuple(any, any).map(([a, b]) => `var d = ${a}; return { d: d, e: ${b} };`),
  fc.tuple(any, any).map(([a, b]) => `const d = ${a}; let e = ${b}; if (d) { return e; }`),
  fc.tuple(any, primitive).map(([a, b]) => `if (${b}) { var d = ${a}; } return ${b};`),
);

const statement = fc.oneof(
  any,
  fc.tuple(any, any, any).map(([a, b, c]) => `if (${a}) { ${b}; } else { ${c}; }`),
  fc.tuple(any, any).map(([a, b]) => `if (${a}) { const c = ${b}; c; }`),
  body.map((a) => `(function () { ${a} })()`),
  body.map((a) => `(() => { ${a} })()`),
  fc.tuple(body, any, any).map(([a, b, c]) => `(function (v, w) { ${a} })(${b}, ${c})`),
);

/** A wrapper by name: `function f() { ... } f();` */
const wrapper = fc
  .tuple(body, body)
  .map(
    ([a, b]) => `var v = 1; let w = $.s; function f() { ${a} } function g() { ${b} } [f(), g()]`,
  );

const statements = fc
  .tuple(
    pick('1', '"x"', '$.n', '$.nul', '"7"'),
    pick('2', '$.s', 'undefined'),
    fc.array(statement, { minLength: 1, maxLength: 3 }),
  )
  .map(([v, w, all]) => `var v = ${v}; let w = ${w}; ${all.join('; ')}`);

export const randomScript: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: statements },
  { weight: 1, arbitrary: wrapper },
);
