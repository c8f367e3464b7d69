// Names, paths and signals of a jq program under evaluation (machine.ts).
import type { Json } from './json.js';
import type { BinaryOperator, Definition, Jq } from './ast.js';
import { JqError, JqUndefined, shown } from './values.js';

/** Undefined while no path expression is evaluated. */
export type Path = readonly Json[] | undefined;
export type Emit = (value: Json, path: Path) => void;

/** A value together with the path it was reached by. */
export interface Place {
  readonly value: Json;
  readonly path: Path;
}

/** Where an expression is evaluated. */
export interface At {
  readonly scope: Scope | undefined;
  readonly place: Place;
}

/** The functions that the parts of the machine call on each other. */
export interface Evaluator {
  evaluate(node: Jq, scope: Scope | undefined, place: Place, emit: Emit): void;
  /** All results of `node`, without paths. */
  each(node: Jq, scope: Scope | undefined, value: Json, emit: (value: Json) => void): void;
  /** Calls a function by name. */
  call(name: string, args: readonly Jq[], scope: Scope | undefined, place: Place, emit: Emit): void;
  calculate(operator: BinaryOperator, left: Json, right: Json): Json;
  /** The paths of a path expression. */
  pathsOf(node: Jq, scope: Scope | undefined, value: Json): (readonly Json[])[];
  /** Runs `body` until it calls `stop`. */
  stoppable(body: (stop: () => never) => void): void;
  /** Throws JqLimit when the budget ends. */
  spend(cost: number): void;
  readonly stepsLeft: number;
  /** Runs `body`; its own errors go to `handle`, those of `emit` go through. */
  attempt(body: (guarded: Emit) => void, emit: Emit, handle: (error: JqError) => void): void;
}

/** Names in scope, innermost first. */
export type Scope =
  | { readonly kind: 'variable'; name: string; value: Json; parent: Scope | undefined }
  /** A parameter: a filter in the scope of the caller. */
  | {
      readonly kind: 'closure';
      name: string;
      body: Jq;
      scope: Scope | undefined;
      parent: Scope | undefined;
    }
  | { readonly kind: 'function'; definition: Definition; parent: Scope | undefined }
  | { readonly kind: 'label'; name: string; parent: Scope | undefined };

export class Break extends Error {
  constructor(readonly label: Scope) {
    super('break');
  }
}

/**
 * An error of the caller that takes the results, on its way through a `try` that must not catch it.
 */
export class Passing extends Error {
  constructor(
    readonly owner: object,
    readonly error: unknown,
  ) {
    super('passing');
  }
}

/** Path of a value that is not reached by one. */
const noPath: readonly Json[] = [];

/** The path a path expression has led to; throws JqError when `path` is none. */
export function reached(value: Json, path: Path): readonly Json[] {
  if (path === undefined || path === noPath) {
    throw new JqError(`Invalid path expression with result ${shown(value)}`);
  }
  return path;
}

export function extended(value: Json, path: Path, key: Json): Path {
  return path === undefined ? undefined : [...reached(value, path), key];
}

/** The path of a new value made at `place`: none, which counts only while paths are followed. */
export function lost(place: Place): Path {
  return place.path === undefined ? undefined : noPath;
}

export function findLabel(name: string, scope: Scope | undefined): Scope {
  for (let at = scope; at !== undefined; at = at.parent) {
    if (at.kind === 'label' && at.name === name) return at;
  }
  throw new JqUndefined(`$*label-${name} is not defined`);
}
