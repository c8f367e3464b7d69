// Turns a parsed script into functions that run it (closures, no generated code). Covers what
// definitions use for conditions, case texts and small results: expressions, `if` with `return`,
// and functions called where they stand or by name, without recursion. Everything else (loops,
// switch, try, assignments) gives up before anything runs, and a worker runs it: decision 0006 has
// the cost of both.
import type * as Acorn from 'acorn';
import { compileExpression } from './compile-expressions.js';
import {
  Frame,
  frameAt,
  type FunctionCode,
  giveUp,
  type RunState,
  ScriptFunction,
  type Value,
} from './run-state.js';
import { type FunctionNode, Scope } from './scope.js';

/** True: a `return` was run. */
type Execute = (frame: Frame, state: RunState) => boolean;

/** Runs the program and gives the value of its last expression statement. Throws NotInPlace. */
export function compileProgram(program: Acorn.Program): (state: RunState) => Value {
  const scope = new Scope(undefined, compileFunction);
  const body = compileBody(program.body as Acorn.Statement[], scope, true);
  return (state) => {
    body(new Frame(scope.slots, undefined), state);
    return state.completion;
  };
}

/** The statements of a function or program; functions are there from the beginning. */
function compileBody(
  statements: readonly Acorn.Statement[],
  scope: Scope,
  isProgram: boolean,
): Execute {
  for (const statement of statements) declareVars(statement, scope);
  declareLexical(statements, scope);
  const functions = statements.filter((each) => each.type === 'FunctionDeclaration');
  for (const { id } of functions) scope.declare(id.name);
  const hoisted = functions.map((node) => ({
    index: scope.own(node.id.name) ?? giveUp(),
    code: compileFunction(node, scope),
  }));
  const executes = statements
    .filter((statement) => statement.type !== 'FunctionDeclaration')
    .map((statement) => compileStatement(statement, scope, isProgram));
  return (frame, state) => {
    for (const { index, code } of hoisted) frame.values[index] = new ScriptFunction(code, frame);
    return executes.some((execute) => execute(frame, state));
  };
}

/** Declares the `var` names of a statement, however deep, in the scope of the function. */
function declareVars(node: Acorn.Statement, scope: Scope): void {
  if (node.type === 'VariableDeclaration' && node.kind === 'var') declareNames(node, scope);
  else if (node.type === 'BlockStatement') for (const each of node.body) declareVars(each, scope);
  else if (node.type === 'IfStatement') {
    declareVars(node.consequent, scope);
    if (node.alternate) declareVars(node.alternate, scope);
  }
}

function declareLexical(statements: readonly Acorn.Statement[], scope: Scope): void {
  for (const statement of statements) {
    if (statement.type !== 'VariableDeclaration' || statement.kind === 'var') continue;
    if (statement.kind !== 'let' && statement.kind !== 'const') giveUp();
    declareNames(statement, scope);
  }
}

function declareNames(declaration: Acorn.VariableDeclaration, scope: Scope): void {
  for (const { id } of declaration.declarations) scope.declare(simpleName(id));
}

function compileStatement(statement: Acorn.Statement, scope: Scope, isProgram: boolean): Execute {
  switch (statement.type) {
    case 'ExpressionStatement': {
      const run = compileExpression(statement.expression, scope);
      return (frame, state) => {
        const value = run(frame, state);
        if (isProgram) state.completion = value;
        return false;
      };
    }
    case 'VariableDeclaration':
      return compileDeclaration(statement, scope);
    case 'ReturnStatement': {
      const run = statement.argument ? compileExpression(statement.argument, scope) : undefined;
      return (frame, state) => {
        state.returned = run?.(frame, state);
        return true;
      };
    }
    case 'IfStatement':
      return compileIf(statement, scope, isProgram);
    case 'BlockStatement':
      return compileBlock(statement.body, scope, isProgram);
    case 'EmptyStatement':
      return () => false;
    default:
      return giveUp();
  }
}

function compileDeclaration(declaration: Acorn.VariableDeclaration, scope: Scope): Execute {
  const inits = declaration.declarations.map(({ id, init }) => {
    const target = scope.resolve(simpleName(id)) ?? giveUp();
    return { target, run: init ? compileExpression(init, scope) : undefined };
  });
  return (frame, state) => {
    for (const { target, run } of inits) {
      frameAt(frame, target.depth).values[target.index] = run?.(frame, state);
    }
    return false;
  };
}

/** The value of the program is undefined unless a branch gives one. */
function compileIf(statement: Acorn.IfStatement, scope: Scope, isProgram: boolean): Execute {
  const test = compileExpression(statement.test, scope);
  const then = compileStatement(statement.consequent, scope, isProgram);
  const otherwise = statement.alternate
    ? compileStatement(statement.alternate, scope, isProgram)
    : () => false;
  return (frame, state) => {
    const condition = test(frame, state);
    if (isProgram) state.completion = undefined;
    return condition ? then(frame, state) : otherwise(frame, state);
  };
}

function compileBlock(
  statements: readonly Acorn.Statement[],
  scope: Scope,
  isProgram: boolean,
): Execute {
  const inner = scope.block();
  declareLexical(statements, inner);
  const target = inner.slots > 0 ? inner : scope;
  const executes = statements.map((each) => compileStatement(each, target, isProgram));
  return (frame, state) => {
    const own = target === inner ? new Frame(inner.slots, frame) : frame;
    return executes.some((execute) => execute(own, state));
  };
}

function compileFunction(node: FunctionNode, outer: Scope): FunctionCode {
  if (node.async || node.generator) giveUp();
  const scope = outer.block();
  for (const param of node.params) scope.declare(simpleName(param));
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
      if (!body(frame, state)) return undefined;
      const value = state.returned;
      state.returned = undefined;
      return value;
    },
  };
}

function simpleName(pattern: Acorn.Pattern): string {
  return pattern.type === 'Identifier' ? pattern.name : giveUp();
}
