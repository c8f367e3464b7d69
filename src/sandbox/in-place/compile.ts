// Turns a parsed script into functions that run it (closures, no generated code). Covers the part
// of the language that conditions, case expressions and small transformations use; whatever is not
// here gives up before anything runs.
import type * as Acorn from 'acorn';
import { compileExpression, type Run } from './compile-expressions.js';
import { declareLexical, declareVars, simpleName } from './declarations.js';
import {
  Frame,
  frameAt,
  type FunctionCode,
  giveUp,
  isPlainMap,
  listOf,
  readMember,
  type RunState,
  ScriptFunction,
  unset,
  type Value,
} from './run-state.js';
import { type FunctionNode, Scope } from './scope.js';

/** How a statement ended. */
type Outcome = undefined | 'break' | 'continue' | 'return';
type Execute = (frame: Frame, state: RunState) => Outcome;

/** Runs the program and gives the value of its last expression statement. Throws NotInPlace. */
export function compileProgram(program: Acorn.Program): (state: RunState) => Value {
  const scope = new Scope(undefined, compileFunction);
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

/**
 * A statement that does nothing to the program's value unless something inside is run gives
 * undefined.
 */
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
  const inner = scope.block();
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
  const inner = scope.block();
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
  const inner = scope.block();
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

function keysOf(value: Value, state: RunState): Value[] {
  // Keys may go or come while a map of the script's own is walked; the other engine knows its
  // rules.
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

function compileFunction(node: FunctionNode, outer: Scope): FunctionCode {
  if (node.async || node.generator) giveUp();
  const scope = outer.block();
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
