// Expressions of a script as functions that evaluate them (see compile.ts).
import type * as Acorn from 'acorn';
import { globalConstants, globalFunctions } from './global-functions.js';
import { callMethod } from './methods.js';
import { calculate, numberOf, textOf } from './operators.js';
import {
  Frame,
  frameAt,
  giveUp,
  isPlainMap,
  listOf,
  nameOf,
  readMember,
  type RunState,
  setMember,
  ScriptFunction,
  unset,
  type Value,
} from './run-state.js';
import type { Scope } from './scope.js';

export type Run = (frame: Frame, state: RunState) => Value;

export function compileExpression(node: Acorn.Expression, scope: Scope): Run {
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
      const code = scope.compileFunction(node, scope);
      return (frame) => new ScriptFunction(code, frame);
    }
    case 'FunctionExpression':
      return compileFunctionExpression(node, scope);
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

function compileIdentifier(name: string, scope: Scope): Run {
  const resolved = scope.resolve(name);
  if (resolved === undefined) {
    if (name === '$') return (_frame, state) => state.input();
    if (!globalConstants.has(name)) return giveUp();
    const value = globalConstants.get(name);
    return () => value;
  }
  const { depth, index } = resolved;
  return (frame) => {
    const value = frameAt(frame, depth).values[index];
    return value === unset ? giveUp() : value;
  };
}

/** Its own name is only good for recursion: it hides other names and has no value. */
function compileFunctionExpression(node: Acorn.FunctionExpression, scope: Scope): Run {
  const around = scope.block();
  if (node.id) around.declare(node.id.name);
  const code = scope.compileFunction(node, around);
  const { slots } = around;
  return (frame) => new ScriptFunction(code, new Frame(slots, frame));
}

/** The value of an optional link without an object is unique for the chain. */
function compileOptionalChain(node: Acorn.ChainExpression, scope: Scope): Run {
  const short: Value = {};
  const run = compileChain(node.expression, scope, () => short);
  return (frame, state) => {
    const value = run(frame, state);
    return value === short ? undefined : value;
  };
}

/**
 * A member or call; inside an optional chain `short()` is passed outwards once a link found
 * nothing.
 */
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
        setMember(map, name, run(frame, state));
        continue;
      }
      const source = run(frame, state);
      if (source === null || source === undefined) continue;
      if (!isPlainMap(source)) return giveUp();
      for (const [name, value] of Object.entries(source)) {
        state.spend(1);
        setMember(map, name, value);
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
