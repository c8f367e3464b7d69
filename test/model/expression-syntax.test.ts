// What registration can say about expressions (contract-core 6.5).
import { describe, expect, it } from 'vitest';
import { checkExpressions, findExpressions } from '../../src/model/expression-syntax.js';
import { growthOf } from '../support/work-meanwhile.js';

describe('occurrences', () => {
  it.each<[string, string[]]>([
    ['${a.b}', ['a.b']],
    ['x ${a} y ${b}', ['a', 'b']],
    ['${a.${b}}', ['a.${b}']],
    ['$${a} ${b}', ['b']],
    ['$${a ${b}}', ['b']],
    ['${a', []],
    ['${a ${b}', ['b']],
    ['{${a}}', ['a']],
    ['} ${a} {', ['a']],
    ['${}', ['']],
    ['no expression', []],
  ])('%s', (text, paths) => {
    expect(findExpressions(text).map((span) => span.path)).toEqual(paths);
  });

  it('are found in one pass', () => {
    const find = (count: number): void => expect(findExpressions('${'.repeat(count))).toEqual([]);
    expect(growthOf(find, 50_000)).toBeLessThan(8);
  });
});

describe('checks', () => {
  it.each<[string, { path: string; wellFormed: boolean; head: string | undefined }[]]>([
    ['${nosuch.output.x}', [{ path: 'nosuch.output.x', wellFormed: true, head: 'nosuch' }]],
    ['${workflow.input.x y}', [{ path: 'workflow.input.x y', wellFormed: false, head: undefined }]],
    ['${ a.b }', [{ path: ' a.b ', wellFormed: false, head: undefined }]],
    ['${a.output.[}', [{ path: 'a.output.[', wellFormed: false, head: undefined }]],
    [
      '${a.output.l[?(@.n>1)].x}',
      [{ path: 'a.output.l[?(@.n>1)].x', wellFormed: true, head: 'a' }],
    ],
    ['${a[0:2]}', [{ path: 'a[0:2]', wellFormed: true, head: 'a' }]],
    [
      '${a.${workflow.input.k}}',
      [{ path: 'workflow.input.k', wellFormed: true, head: 'workflow' }],
    ],
    ['$${not.me}', []],
    ['${CPEWF_TASK_ID}', [{ path: 'CPEWF_TASK_ID', wellFormed: true, head: 'CPEWF_TASK_ID' }]],
    ['${}', [{ path: '', wellFormed: false, head: undefined }]],
    ['`${x}`', [{ path: 'x', wellFormed: true, head: 'x' }]],
    ["${$['a'].output}", [{ path: "$['a'].output", wellFormed: true, head: 'a' }]],
  ])('%s', (text, expected) => {
    expect(checkExpressions(text)).toEqual(expected);
  });
});
