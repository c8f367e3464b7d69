// Turns a parsed script into functions that run it (closures, no generated code). Covers the part of the language that conditions,
// case expressions and small transformations use; whatever is not here gives up before anything runs.
import type * as Acorn from 'acorn';
import { callMethod, globalConstants, globalFunctions } from './methods.js';
import { isObjectName } from './object-names.js';
import {
  Frame,
  type FunctionCode,
  giveUp,
  isPlainMap,
  isPrimitive,
  nameOf,
  readMember,
  type RunState,
  ScriptFunction,
  unset,
  type Value,
  writeMember,
} from './run-state.js';
import { Scope } from './scope.js';

type Run = (frame: Frame, state: RunState) => Value;
/** How a statement ended. */
type Outcome = undefined | 'break' | 'continue' | 'return';
type Execute = (frame: Frame, state: RunState) => Outcome;

/** Runs the program and gives the value of its last expression statement. Throws NotInPlace. */
export function compileProgram(program: Acorn.Program): (state: RunState) => Value {
  const scope = new Scope(undefined, true);
  const body = compileBody(program.body as Acorn.Statement[], scope, true);
  return (state) => {
    const frame = new Frame(scope.slots, undefined);
    body(frame, state);
    return state.completion;
  };
}

/** The statements of a function or program with their hoisted declarations. */
function compileBody(
  statements: readonly Acorn.Statement[],
  scope: Scope,
  isProgram: boolean,
): Execute {
  for (const statement of statements) declareVars(statement, scope);
  const functions: Acorn.FunctionDeclaration[] = [];
  for (const statement of statements) {
    if (statement.type !== 'FunctionDeclaration') continue;
    scope.declare(statement.id.name, 'var');
    functions.push(statement);
  }
  declareLexical(statements, scope);
  const lexical = scope.lexicalSlots();
  const hoisted = functions.map((each) => ({
    index: scope.own(each.id.name)?.index ?? giveUp(),
    code: compileFunction(each, scope),
  }));
  const executes = statements
    .filter((statement) => statement.type !== 'FunctionDeclaration')
    .map((statement) => compileStatement(statement, scope, isProgram));
  return (frame, state) => {
    for (const slot of lexical) frame.values[slot] = unset;
    for (const { index, code } of hoisted) frame.values[index] = new ScriptFunction(code, frame);
    return executeAll(executes, frame, state);
  };
}

function executeAll(executes: readonly Execute[], frame: Frame, state: RunState): Outcome {
  for (const execute of executes) {
    const outcome = execute(frame, state);
    if (outcome !== undefined) return outcome;
  }
  return undefined;
}

/** Declares the `var` names of a statement, however deep, in the scope of the function. */
function declareVars(node: Acorn.AnyNode, scope: Scope): void {
  switch (node.type) {
    case 'VariableDeclaration':
      if (node.kind !== 'var') return;
      for (const each of node.declarations) scope.declare(simpleName(each.id), 'var');
      return;
    case 'BlockStatement':
      for (const each of node.body) declareVars(each, scope);
      return;
    case 'IfStatement':
      declareVars(node.consequent, scope);
      if (node.alternate) declareVars(node.alternate, scope);
      return;
    case 'ForStatement':
      if (node.init?.type === 'VariableDeclaration') declareVars(node.init, scope);
      declareVars(node.body, scope);
      return;
    case 'ForOfStatement':
    case 'ForInStatement':
      if (node.left.type === 'VariableDeclaration') declareVars(node.left, scope);
      declareVars(node.body, scope);
      return;
    case 'WhileStatement':
    case 'DoWhileStatement':
      declareVars(node.body, scope);
      return;
    case 'SwitchStatement':
      for (const each of node.cases) for (const inner of each.consequent) declareVars(inner, scope);
      return;
    case 'TryStatement':
      declareVars(node.block, scope);
      if (node.handler) declareVars(node.handler.body, scope);
      if (node.finalizer) declareVars(node.finalizer, scope);
      return;
    default:
      return;
  }
}

function declareLexical(statements: readonly Acorn.AnyNode[], scope: Scope): void {
  for (const statement of statements) {
    if (statement.type !== 'VariableDeclaration' || statement.kind === 'var') continue;
    const kind = statement.kind === 'const' ? 'const' : statement.kind === 'let' ? 'let' : giveUp();
    for (const each of statement.declarations) scope.declare(simpleName(each.id), kind);
  }
}

function simpleName(pattern: Acorn.Pattern): string {
  return pattern.type === 'Identifier' ? pattern.name : giveUp();
}

function compileStatement(statement: Acorn.Statement, scope: Scope, isProgram: boolean): Execute {
  switch (statement.type) {
    case 'ExpressionStatement': {
      const run = compileExpression(statement.expression, scope);
      return (frame, state) => {
        const value = run(frame, state);
        if (isProgram) state.completion = value;
        return undefined;
      };
    }
    case 'VariableDeclaration':
      return compileDeclaration(statement, scope);
    case 'ReturnStatement': {
      const run = statement.argument ? compileExpression(statement.argument, scope) : undefined;
      return (frame, state) => {
        state.returned = run?.(frame, state);
        return 'return';
      };
    }
    case 'IfStatement':
      return compileIf(statement, scope, isProgram);
    case 'BlockStatement':
      return compileBlock(statement.body, scope, isProgram);
    case 'EmptyStatement':
      return () => undefined;
    case 'ForStatement':
      return compileFor(statement, scope, isProgram);
    case 'ForOfStatement':
    case 'ForInStatement':
      return compileForEach(statement, scope, isProgram);
    case 'WhileStatement':
    case 'DoWhileStatement':
      return compileWhile(statement, scope, isProgram);
    case 'BreakStatement':
      return statement.label ? giveUp() : () => 'break';
    case 'ContinueStatement':
      return statement.label ? giveUp() : () => 'continue';
    case 'SwitchStatement':
      return compileSwitch(statement, scope, isProgram);
    case 'TryStatement':
      return compileTry(statement, scope, isProgram);
    default:
      return giveUp();
  }
}

function compileDeclaration(declaration: Acorn.VariableDeclaration, scope: Scope): Execute {
  const inits = declaration.declarations.map((each) => {
    const target = scope.resolve(simpleName(each.id)) ?? giveUp();
    return { target, run: each.init ? compileExpression(each.init, scope) : undefined };
  });
  const isVar = declaration.kind === 'var';
  return (frame, state) => {
    for (const { target, run } of inits) {
      if (run === undefined && isVar) continue;
      frameAt(frame, target.depth).values[target.binding.index] = run?.(frame, state);
    }
    return undefined;
  };
}

function frameAt(frame: Frame, depth: number): Frame {
  let at = frame;
  for (let i = 0; i < depth; i++) at = at.parent ?? giveUp();
  return at;
}

/** A statement that does nothing to the program's value unless something inside is run gives undefined. */
function compileIf(statement: Acorn.IfStatement, scope: Scope, isProgram: boolean): Execute {
  const test = compileExpression(statement.test, scope);
  const then = compileStatement(statement.consequent, scope, isProgram);
  const otherwise = statement.alternate
    ? compileStatement(statement.alternate, scope, isProgram)
    : undefined;
  return (frame, state) => {
    const condition = test(frame, state);
    if (isProgram) state.completion = undefined;
    return condition ? then(frame, state) : otherwise?.(frame, state);
  };
}

function compileBlock(
  statements: readonly Acorn.Statement[],
  scope: Scope,
  isProgram: boolean,
): Execute {
  const inner = new Scope(scope, false);
  declareLexical(statements, inner);
  const needsFrame = inner.slots > 0;
  const target = needsFrame ? inner : scope;
  const executes = statements.map((each) => compileStatement(each, target, isProgram));
  if (!needsFrame) return (frame, state) => executeAll(executes, frame, state);
  return (frame, state) => executeAll(executes, newFrame(inner, frame), state);
}

function newFrame(scope: Scope, parent: Frame): Frame {
  const frame = new Frame(scope.slots, parent);
  frame.values.fill(unset);
  return frame;
}

function compileFor(statement: Acorn.ForStatement, scope: Scope, isProgram: boolean): Execute {
  const inner = new Scope(scope, false);
  const { init } = statement;
  if (init?.type === 'VariableDeclaration') declareLexical([init], inner);
  const hasFrame = inner.slots > 0;
  const target = hasFrame ? inner : scope;
  const begin: Execute | undefined =
    init === null || init === undefined
      ? undefined
      : init.type === 'VariableDeclaration'
        ? compileDeclaration(init, target)
        : discard(compileExpression(init, target));
  const test = statement.test ? compileExpression(statement.test, target) : undefined;
  const update = statement.update ? compileExpression(statement.update, target) : undefined;
  const body = compileStatement(statement.body, target, isProgram);
  return (outer, state) => {
    let frame = hasFrame ? newFrame(inner, outer) : outer;
    begin?.(frame, state);
    if (isProgram) state.completion = undefined;
    for (;;) {
      state.spend(1);
      // Each round has variables of its own, which functions made in it keep.
      if (hasFrame) frame = copyFrame(frame);
      if (test !== undefined && !test(frame, state)) return undefined;
      const outcome = body(frame, state);
      if (outcome === 'break') return undefined;
      if (outcome === 'return') return outcome;
      if (hasFrame) frame = copyFrame(frame);
      update?.(frame, state);
    }
  };
}

function discard(run: Run): Execute {
  return (frame, state) => {
    run(frame, state);
    return undefined;
  };
}

function copyFrame(frame: Frame): Frame {
  const copy = new Frame(frame.values.length, frame.parent);
  for (let i = 0; i < frame.values.length; i++) copy.values[i] = frame.values[i];
  return copy;
}

/** `for ... of` over lists, `for ... in` over maps. */
function compileForEach(
  statement: Acorn.ForOfStatement | Acorn.ForInStatement,
  scope: Scope,
  isProgram: boolean,
): Execute {
  if (statement.left.type !== 'VariableDeclaration') return giveUp();
  if (statement.type === 'ForOfStatement' && statement.await) return giveUp();
  const isOf = statement.type === 'ForOfStatement';
  const inner = new Scope(scope, false);
  declareLexical([statement.left], inner);
  const hasFrame = inner.slots > 0;
  const target = hasFrame ? inner : scope;
  const [declarator] = statement.left.declarations;
  if (declarator === undefined || declarator.init) return giveUp();
  const name = simpleName(declarator.id);
  const binding = target.resolve(name) ?? giveUp();
  const source = compileExpression(statement.right, scope);
  const body = compileStatement(statement.body, target, isProgram);
  return (outer, state) => {
    const value = source(outer, state);
    if (isProgram) state.completion = undefined;
    const list = isOf ? listOf(value) : keysOf(value, state);
    for (let i = 0; i < list.length; i++) {
      state.spend(1);
      const frame = hasFrame ? newFrame(inner, outer) : outer;
      frameAt(frame, binding.depth).values[binding.binding.index] = readMember(list, i);
      const outcome = body(frame, state);
      if (outcome === 'break') return undefined;
      if (outcome === 'return') return outcome;
    }
    return undefined;
  };
}

function listOf(value: Value): Value[] {
  return Array.isArray(value) ? value : giveUp();
}

function keysOf(value: Value, state: RunState): Value[] {
  // Keys may go or come while a map of the script's own is walked; the other engine knows its rules.
  if (!isPlainMap(value) || state.isOwn(value)) return giveUp();
  const keys = Object.keys(value);
  state.spend(keys.length);
  return keys;
}

function compileWhile(
  statement: Acorn.WhileStatement | Acorn.DoWhileStatement,
  scope: Scope,
  isProgram: boolean,
): Execute {
  const test = compileExpression(statement.test, scope);
  const body = compileStatement(statement.body, scope, isProgram);
  const testsFirst = statement.type === 'WhileStatement';
  return (frame, state) => {
    if (isProgram) state.completion = undefined;
    for (let round = 0; ; round++) {
      state.spend(1);
      if ((testsFirst || round > 0) && !test(frame, state)) return undefined;
      const outcome = body(frame, state);
      if (outcome === 'break') return undefined;
      if (outcome === 'return') return outcome;
    }
  };
}

function compileSwitch(
  statement: Acorn.SwitchStatement,
  scope: Scope,
  isProgram: boolean,
): Execute {
  const subject = compileExpression(statement.discriminant, scope);
  const cases = statement.cases.map((each) => {
    for (const inner of each.consequent) {
      if (inner.type === 'VariableDeclaration' && inner.kind !== 'var') giveUp();
      if (inner.type === 'FunctionDeclaration') giveUp();
    }
    return {
      test: each.test ? compileExpression(each.test, scope) : undefined,
      executes: each.consequent.map((inner) => compileStatement(inner, scope, isProgram)),
    };
  });
  const fallback = cases.findIndex((each) => each.test === undefined);
  return (frame, state) => {
    const value = subject(frame, state);
    if (isProgram) state.completion = undefined;
    let at = cases.findIndex(
      (each) => each.test !== undefined && each.test(frame, state) === value,
    );
    if (at < 0) at = fallback;
    for (; at >= 0 && at < cases.length; at++) {
      const outcome = executeAll(cases[at]?.executes ?? [], frame, state);
      if (outcome === 'break') return undefined;
      if (outcome !== undefined) return outcome;
    }
    return undefined;
  };
}

/** An error gives up the whole script, so a handler never runs here. */
function compileTry(statement: Acorn.TryStatement, scope: Scope, isProgram: boolean): Execute {
  if (statement.finalizer) return giveUp();
  const block = compileBlock(statement.block.body, scope, isProgram);
  return (frame, state) => {
    if (isProgram) state.completion = undefined;
    return block(frame, state);
  };
}

function compileFunction(
  node: Acorn.FunctionDeclaration | Acorn.FunctionExpression | Acorn.ArrowFunctionExpression,
  outer: Scope,
): FunctionCode {
  if (node.async || node.generator) giveUp();
  const scope = new Scope(outer, true);
  for (const param of node.params) {
    if (scope.own(simpleName(param)) !== undefined) giveUp();
    scope.declare(simpleName(param), 'var');
  }
  const params = scope.slots;
  if (node.body.type !== 'BlockStatement') {
    const run = compileExpression(node.body, scope);
    return { slots: scope.slots, params, run };
  }
  const body = compileBody(node.body.body, scope, false);
  return {
    slots: scope.slots,
    params,
    run: (frame, state) => {
      if (body(frame, state) !== 'return') return undefined;
      const value = state.returned;
      state.returned = undefined;
      return value;
    },
  };
}

function compileExpression(node: Acorn.Expression, scope: Scope): Run {
  const run = compileBare(node, scope);
  return (frame, state) => {
    state.spend(1);
    return run(frame, state);
  };
}

function compileBare(node: Acorn.Expression, scope: Scope): Run {
  switch (node.type) {
    case 'Literal':
      return compileLiteral(node);
    case 'TemplateLiteral':
      return compileTemplateLiteral(node, scope);
    case 'Identifier':
      return compileIdentifier(node.name, scope);
    case 'MemberExpression':
    case 'CallExpression':
      return compileChain(node, scope, () => undefined);
    case 'ChainExpression':
      return compileOptionalChain(node, scope);
    case 'ParenthesizedExpression':
      return compileBare(node.expression, scope);
    case 'ConditionalExpression': {
      const test = compileExpression(node.test, scope);
      const then = compileExpression(node.consequent, scope);
      const otherwise = compileExpression(node.alternate, scope);
      return (frame, state) => (test(frame, state) ? then(frame, state) : otherwise(frame, state));
    }
    case 'LogicalExpression':
      return compileLogical(node, scope);
    case 'BinaryExpression':
      return compileBinary(node, scope);
    case 'UnaryExpression':
      return compileUnary(node, scope);
    case 'ArrayExpression':
      return compileList(node, scope);
    case 'ObjectExpression':
      return compileMap(node, scope);
    case 'ArrowFunctionExpression': {
      const code = compileFunction(node, scope);
      return (frame) => new ScriptFunction(code, frame);
    }
    case 'FunctionExpression':
      return compileFunctionExpression(node, scope);
    case 'AssignmentExpression':
      return compileAssignment(node, scope);
    case 'UpdateExpression':
      return compileUpdate(node, scope);
    case 'SequenceExpression': {
      const runs = node.expressions.map((each) => compileExpression(each, scope));
      return (frame, state) => {
        let value: Value;
        for (const run of runs) value = run(frame, state);
        return value;
      };
    }
    default:
      return giveUp();
  }
}

function compileLiteral(node: Acorn.Literal): Run {
  const { value } = node;
  if (node.regex || node.bigint) return giveUp();
  if (
    value === null ||
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean'
  ) {
    return () => value;
  }
  return giveUp();
}

function compileTemplateLiteral(node: Acorn.TemplateLiteral, scope: Scope): Run {
  const texts = node.quasis.map((each) => each.value.cooked ?? giveUp());
  const values = node.expressions.map((each) => compileExpression(each, scope));
  return (frame, state) => {
    let text = texts[0] ?? '';
    values.forEach((run, i) => {
      text += textOf(run(frame, state)) + (texts[i + 1] ?? '');
    });
    state.spendText(text.length);
    return text;
  };
}

function textOf(value: Value): string {
  return isPrimitive(value) ? String(value) : giveUp();
}

function compileIdentifier(name: string, scope: Scope): Run {
  const resolved = scope.resolve(name);
  if (resolved === undefined) {
    if (name === '$') return (_frame, state) => state.input();
    if (!globalConstants.has(name)) return giveUp();
    const value = globalConstants.get(name);
    return () => value;
  }
  const { depth, binding } = resolved;
  return (frame) => {
    const value = frameAt(frame, depth).values[binding.index];
    return value === unset ? giveUp() : value;
  };
}

function compileFunctionExpression(node: Acorn.FunctionExpression, scope: Scope): Run {
  if (!node.id) {
    const code = compileFunction(node, scope);
    return (frame) => new ScriptFunction(code, frame);
  }
  // The function's own name stands in a frame around it.
  const around = new Scope(scope, false);
  const binding = around.declare(node.id.name, 'const');
  const code = compileFunction(node, around);
  return (frame) => {
    const inner = new Frame(around.slots, frame);
    const made = new ScriptFunction(code, inner);
    inner.values[binding.index] = made;
    return made;
  };
}

/** `skip`: what an optional link gives when there is nothing to go on with; a unique value for the chain. */
function compileOptionalChain(node: Acorn.ChainExpression, scope: Scope): Run {
  const short: Value = {};
  const run = compileChain(node.expression, scope, () => short);
  return (frame, state) => {
    const value = run(frame, state);
    return value === short ? undefined : value;
  };
}

/** A member or call; inside an optional chain `short()` is passed outwards once a link found nothing. */
function compileChain(node: Acorn.Expression, scope: Scope, short: () => Value): Run {
  if (node.type === 'CallExpression') return compileCall(node, scope, short);
  if (node.type !== 'MemberExpression') return compileExpression(node, scope);
  if (node.object.type === 'Super') return giveUp();
  const object = compileChain(node.object, scope, short);
  const key = compileKey(node, scope);
  const { optional } = node;
  return (frame, state) => {
    const target = object(frame, state);
    const nothing = short();
    if (nothing !== undefined && target === nothing) return nothing;
    if (optional && (target === null || target === undefined)) return nothing;
    return readMember(target, key(frame, state));
  };
}

function compileKey(node: Acorn.MemberExpression, scope: Scope): Run {
  if (!node.computed) {
    const name = node.property.type === 'Identifier' ? node.property.name : giveUp();
    return () => name;
  }
  return node.property.type === 'PrivateIdentifier'
    ? giveUp()
    : compileExpression(node.property, scope);
}

function compileCall(node: Acorn.CallExpression, scope: Scope, short: () => Value): Run {
  if (node.optional) return giveUp();
  const args = node.arguments.map((each) =>
    each.type === 'SpreadElement' ? giveUp() : compileExpression(each, scope),
  );
  const evaluateArgs = (frame: Frame, state: RunState): Value[] => {
    const values: Value[] = [];
    for (const arg of args) values.push(arg(frame, state));
    return values;
  };
  const { callee } = node;
  if (callee.type === 'Super') return giveUp();
  const globalName = globalNameOf(callee, scope);
  if (globalName !== undefined) {
    const apply = globalFunctions.get(globalName) ?? giveUp();
    return (frame, state) => apply(state, evaluateArgs(frame, state));
  }
  if (callee.type !== 'MemberExpression') {
    const run = compileExpression(callee, scope);
    return (frame, state) => {
      const target = run(frame, state);
      return state.call(target, evaluateArgs(frame, state));
    };
  }
  if (callee.object.type === 'Super') return giveUp();
  const object = compileChain(callee.object, scope, short);
  const key = compileKey(callee, scope);
  const { optional } = callee;
  return (frame, state) => {
    const target = object(frame, state);
    const nothing = short();
    if (nothing !== undefined && target === nothing) return nothing;
    if (optional && (target === null || target === undefined)) return nothing;
    const name = key(frame, state);
    if (typeof name !== 'string') return giveUp();
    return callMethod(state, target, name, evaluateArgs(frame, state));
  };
}

/** `Math.max`, `parseInt` and the like, unless the script has a variable of that name. */
function globalNameOf(callee: Acorn.Expression, scope: Scope): string | undefined {
  if (callee.type === 'Identifier') {
    return callee.name !== '$' && scope.resolve(callee.name) === undefined
      ? callee.name
      : undefined;
  }
  if (callee.type !== 'MemberExpression' || callee.computed || callee.optional) return undefined;
  if (callee.object.type !== 'Identifier' || callee.property.type !== 'Identifier')
    return undefined;
  const { name } = callee.object;
  if (name === '$' || globalConstants.has(name) || scope.resolve(name) !== undefined)
    return undefined;
  return `${name}.${callee.property.name}`;
}

function compileLogical(node: Acorn.LogicalExpression, scope: Scope): Run {
  const left = compileExpression(node.left, scope);
  const right = compileExpression(node.right, scope);
  switch (node.operator) {
    case '&&':
      return (frame, state) => {
        const value = left(frame, state);
        return value ? right(frame, state) : value;
      };
    case '||':
      return (frame, state) => {
        const value = left(frame, state);
        return value ? value : right(frame, state);
      };
    case '??':
      return (frame, state) => left(frame, state) ?? right(frame, state);
    default:
      return giveUp();
  }
}

function compileBinary(node: Acorn.BinaryExpression, scope: Scope): Run {
  if (node.left.type === 'PrivateIdentifier') return giveUp();
  const left = compileExpression(node.left, scope);
  const right = compileExpression(node.right, scope);
  const { operator } = node;
  return (frame, state) => {
    const a = left(frame, state);
    return calculate(state, operator, a, right(frame, state));
  };
}

function calculate(state: RunState, operator: string, a: Value, b: Value): Value {
  switch (operator) {
    case '===':
      return a === b;
    case '!==':
      return a !== b;
    case '==':
      return looselyEqual(a, b);
    case '!=':
      return !looselyEqual(a, b);
    case 'in':
      return isIn(a, b);
    default:
      if (!isPrimitive(a) || !isPrimitive(b)) return giveUp();
      return calculatePrimitives(state, operator, a, b);
  }
}

function looselyEqual(a: Value, b: Value): boolean {
  if (a === null || a === undefined || b === null || b === undefined) return a == b;
  if (isPrimitive(a) !== isPrimitive(b)) return giveUp();
  return a == b;
}

function isIn(key: Value, object: Value): boolean {
  if (!isPlainMap(object)) return giveUp();
  const name = nameOf(key);
  return isObjectName(name) ? giveUp() : Object.hasOwn(object, name);
}

type Primitive = undefined | null | boolean | number | string;

function calculatePrimitives(state: RunState, operator: string, a: Primitive, b: Primitive): Value {
  if (operator === '+') {
    if (typeof a !== 'string' && typeof b !== 'string') return numberOf(a) + numberOf(b);
    const text = String(a) + String(b);
    state.spendText(text.length);
    return text;
  }
  if (typeof a === 'string' && typeof b === 'string') {
    switch (operator) {
      case '<':
        return a < b;
      case '>':
        return a > b;
      case '<=':
        return a <= b;
      case '>=':
        return a >= b;
      default:
    }
  }
  return calculateNumbers(operator, numberOf(a), numberOf(b));
}

function calculateNumbers(operator: string, a: number, b: number): Value {
  switch (operator) {
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '%':
      return a % b;
    case '<':
      return a < b;
    case '>':
      return a > b;
    case '<=':
      return a <= b;
    case '>=':
      return a >= b;
    case '&':
      return a & b;
    case '|':
      return a | b;
    case '^':
      return a ^ b;
    case '<<':
      return a << b;
    case '>>':
      return a >> b;
    case '>>>':
      return a >>> b;
    // Powers differ in their last digit between engines.
    default:
      return giveUp();
  }
}

function compileUnary(node: Acorn.UnaryExpression, scope: Scope): Run {
  const run = compileExpression(node.argument, scope);
  switch (node.operator) {
    case '!':
      return (frame, state) => !run(frame, state);
    case '-':
      return (frame, state) => -numberOf(run(frame, state));
    case '+':
      return (frame, state) => numberOf(run(frame, state));
    case '~':
      return (frame, state) => ~numberOf(run(frame, state));
    case 'typeof':
      return (frame, state) => {
        const value = run(frame, state);
        return value instanceof ScriptFunction ? 'function' : typeof value;
      };
    case 'void':
      return (frame, state) => void run(frame, state);
    default:
      return giveUp();
  }
}

/** Digits of a text that are turned into a number here; the last bit of longer ones is left to the other engine. */
const digitsMax = 15;

function numberOf(value: Value): number {
  if (!isPrimitive(value)) return giveUp();
  return typeof value === 'string' && value.length > digitsMax ? giveUp() : Number(value);
}

function compileList(node: Acorn.ArrayExpression, scope: Scope): Run {
  const items = node.elements.map((each) => {
    if (each === null) return giveUp();
    return each.type === 'SpreadElement'
      ? { spread: true, run: compileExpression(each.argument, scope) }
      : { spread: false, run: compileExpression(each, scope) };
  });
  return (frame, state) => {
    const list: Value[] = [];
    for (const { spread, run } of items) {
      const value = run(frame, state);
      if (!spread) list.push(value);
      else for (const item of listOf(value)) list.push(item);
    }
    return state.own(list);
  };
}

function compileMap(node: Acorn.ObjectExpression, scope: Scope): Run {
  const entries = node.properties.map((each) => {
    if (each.type === 'SpreadElement') {
      return { key: undefined, run: compileExpression(each.argument, scope) };
    }
    if (each.kind !== 'init' || each.method) return giveUp();
    return { key: compilePropertyKey(each, scope), run: compileExpression(each.value, scope) };
  });
  return (frame, state) => {
    const map = state.own<{ [key: string]: Value }>({});
    for (const { key, run } of entries) {
      if (key !== undefined) {
        const name = nameOf(key(frame, state));
        writeMember(state, map, name, run(frame, state));
        continue;
      }
      const source = run(frame, state);
      if (source === null || source === undefined) continue;
      if (!isPlainMap(source)) return giveUp();
      for (const [name, value] of Object.entries(source)) {
        state.spend(1);
        writeMember(state, map, name, value);
      }
    }
    return map;
  };
}

function compilePropertyKey(property: Acorn.Property, scope: Scope): Run {
  if (property.computed) return compileExpression(property.key, scope);
  if (property.key.type === 'Identifier') {
    const { name } = property.key;
    return () => name;
  }
  return property.key.type === 'Literal' ? compileLiteral(property.key) : giveUp();
}

function compileAssignment(node: Acorn.AssignmentExpression, scope: Scope): Run {
  const operator = node.operator.slice(0, -1);
  if (operator === '&&' || operator === '||' || operator === '??') return giveUp();
  const run = compileExpression(node.right, scope);
  const target = compileTarget(node.left, scope);
  return (frame, state) => {
    const place = target(frame, state);
    const old = operator === '' ? undefined : place.read();
    const right = run(frame, state);
    const value = operator === '' ? right : calculate(state, operator, old, right);
    place.write(value);
    return value;
  };
}

function compileUpdate(node: Acorn.UpdateExpression, scope: Scope): Run {
  const target = compileTarget(node.argument, scope);
  const by = node.operator === '++' ? 1 : -1;
  return (frame, state) => {
    const place = target(frame, state);
    const old = numberOf(place.read());
    place.write(old + by);
    return node.prefix ? old + by : old;
  };
}

interface Place {
  read: () => Value;
  write: (value: Value) => void;
}

function compileTarget(
  node: Acorn.Pattern | Acorn.Expression,
  scope: Scope,
): (frame: Frame, state: RunState) => Place {
  if (node.type === 'Identifier') {
    const { depth, binding } = scope.resolve(node.name) ?? giveUp();
    if (binding.kind === 'const') giveUp();
    return (frame) => {
      const { values } = frameAt(frame, depth);
      const read = (): Value => {
        const value = values[binding.index];
        return value === unset ? giveUp() : value;
      };
      return {
        read,
        write: (value) => {
          read();
          values[binding.index] = value;
        },
      };
    };
  }
  if (node.type !== 'MemberExpression' || node.object.type === 'Super') return giveUp();
  const object = compileExpression(node.object, scope);
  const key = compileKey(node, scope);
  return (frame, state) => {
    const target = object(frame, state);
    const name = key(frame, state);
    return {
      read: () => readMember(target, name),
      write: (value) => writeMember(state, target, name, value),
    };
  };
}
