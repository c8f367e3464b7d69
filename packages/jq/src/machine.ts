// Evaluates jq programs. Every filter hands its results, one after the other, to a function `emit`;
// with each goes the path it was reached by while a path expression is evaluated. Steps and depth
// are bounded; how much a step may
// do is bounded by weights.ts.
import { isMap, type Json, type ParseJson } from './json.js';
import type { BinaryOperator, Definition, Jq } from './ast.js';
import {
  Break,
  type Emit,
  type Evaluator,
  extended,
  findLabel,
  lost,
  Passing,
  type Place,
  reached,
  type Scope,
} from './scope.js';
import { assign } from './assignments.js';
import { makeList, makeMap, makeText } from './constructors.js';
import { foreach, reduce } from './folds.js';
import { bindAll } from './patterns.js';
import { accessCost, calculationCost, deepCost, flatCost } from './weights.js';
import {
  access,
  add,
  compare,
  divide,
  isTrue,
  JqError,
  JqLimit,
  JqUndefined,
  modulo,
  multiply,
  shown,
  sliceOf,
  subtract,
  toResult,
  typeOf,
} from './values.js';

/** A function of the language itself. */
export type Native = (
  machine: JqMachine,
  call: { readonly args: readonly Jq[]; readonly scope: Scope | undefined; readonly place: Place },
  emit: Emit,
) => void;

export interface JqLibrary {
  /** By `name/arity`. */
  readonly natives: ReadonlyMap<string, Native>;
  /** The functions written in jq, by `name/arity`; they see only the language, not the program. */
  readonly definitions: ReadonlyMap<string, Definition>;
}

export interface JqBudget {
  stepsMax: number;
  depthMax: number;
}

export class JqMachine implements Evaluator {
  #stepsLeft: number;
  #depth = 0;

  constructor(
    readonly library: JqLibrary,
    readonly budget: JqBudget,
    readonly parseJson: ParseJson,
  ) {
    this.#stepsLeft = budget.stepsMax;
  }

  /** The results come without NaN and infinities. Throws JqError and JqLimit. */
  run(program: Jq, input: Json, emit: (value: Json) => void): void {
    this.each(program, undefined, input, (value) => {
      this.spend(deepCost(value, this.#stepsLeft));
      emit(toResult(value));
    });
  }

  get stepsLeft(): number {
    return this.#stepsLeft;
  }

  spend(cost: number): void {
    this.#stepsLeft -= cost;
    if (this.#stepsLeft < 0) throw new JqLimit('too many steps');
  }

  /** All results of `node`, without paths. */
  each(node: Jq, scope: Scope | undefined, value: Json, emit: (value: Json) => void): void {
    this.evaluate(node, scope, { value, path: undefined }, emit);
  }

  evaluate(node: Jq, scope: Scope | undefined, place: Place, emit: Emit): void {
    this.spend(1);
    if (++this.#depth > this.budget.depthMax) throw new JqLimit('nested too deeply');
    this.#evaluate(node, scope, place, emit);
    // Not in a `finally`: an error that a `try` catches resets the depth there.
    this.#depth--;
  }

  #evaluate(node: Jq, scope: Scope | undefined, place: Place, emit: Emit): void {
    switch (node.kind) {
      case 'identity':
        return emit(place.value, place.path);
      case 'literal':
        return emit(node.value, lost(place));
      case 'pipe':
        return this.evaluate(node.left, scope, place, (value, path) =>
          this.evaluate(node.right, scope, { value, path }, emit),
        );
      case 'comma':
        this.evaluate(node.left, scope, place, emit);
        return this.evaluate(node.right, scope, place, emit);
      case 'index':
        return this.#index(node, scope, place, emit);
      case 'slice':
        return this.#slice(node, scope, place, emit);
      case 'iterate':
        return this.evaluate(node.target, scope, place, (value, path) =>
          this.#iterate({ value, path }, emit),
        );
      case 'recurse':
        return this.#recurse(place, emit);
      case 'array':
        return makeList(this, node.body, { scope, place }, emit);
      case 'object':
        return makeMap(this, node.entries, { scope, place }, emit);
      case 'text':
        return makeText(this, node, { scope, place }, emit);
      case 'format':
        return this.call(`format ${node.format}`, [], scope, place, emit);
      case 'negate':
        return this.each(node.body, scope, place.value, (value) => {
          if (typeOf(value) !== 'number') {
            throw new JqError(`${typeOf(value)} (${shown(value)}) cannot be negated`);
          }
          emit(typeof value === 'bigint' ? -value : -(value as number), lost(place));
        });
      case 'binary':
        return this.each(node.right, scope, place.value, (right) =>
          this.each(node.left, scope, place.value, (left) =>
            emit(this.calculate(node.operator, left, right), lost(place)),
          ),
        );
      case 'and':
      case 'or':
        return this.#logic(node.kind, node, scope, place, emit);
      case 'alternative':
        return this.#alternative(node, scope, place, emit);
      case 'assign':
        return assign(this, node, { scope, place }, emit);
      case 'if':
        return this.each(node.condition, scope, place.value, (value) =>
          this.evaluate(isTrue(value) ? node.then : node.otherwise, scope, place, emit),
        );
      case 'try':
        return this.#try(node, scope, place, emit);
      case 'reduce':
        return reduce(this, node, { scope, place }, emit);
      case 'foreach':
        return foreach(this, node, { scope, place }, emit);
      case 'define':
        return this.evaluate(
          node.rest,
          { kind: 'function', definition: node.definition, parent: scope },
          place,
          emit,
        );
      case 'call':
        return this.call(node.name, node.args, scope, place, emit);
      case 'variable':
        return emit(this.#variable(node.name, scope), lost(place));
      case 'bind':
        return bindAll(this, node, { scope, place }, emit);
      case 'label':
        return this.#label(node, scope, place, emit);
      case 'break':
        throw new Break(findLabel(node.name, scope));
    }
  }

  #index(
    node: Extract<Jq, { kind: 'index' }>,
    scope: Scope | undefined,
    place: Place,
    emit: Emit,
  ): void {
    this.each(node.key, scope, place.value, (key) =>
      this.evaluate(node.target, scope, place, (value, path) => {
        this.spend(accessCost(value, key, this.#stepsLeft));
        emit(access(value, key), extended(value, path, key));
      }),
    );
  }

  #slice(
    node: Extract<Jq, { kind: 'slice' }>,
    scope: Scope | undefined,
    place: Place,
    emit: Emit,
  ): void {
    const bound = (side: Jq | undefined, then: (value: Json) => void): void => {
      if (side === undefined) then(null);
      else this.each(side, scope, place.value, then);
    };
    bound(node.to, (to) =>
      bound(node.from, (from) =>
        this.evaluate(node.target, scope, place, (value, path) => {
          this.spend(flatCost(value));
          emit(sliceOf(value, from, to), extended(value, path, { start: from, end: to }));
        }),
      ),
    );
  }

  #iterate(place: Place, emit: Emit): void {
    const { value, path } = place;
    if (Array.isArray(value)) {
      this.spend(value.length);
      value.forEach((item, i) => emit(item, extended(value, path, i)));
    } else if (isMap(value)) {
      const entries = Object.entries(value);
      this.spend(entries.length);
      for (const [key, item] of entries) emit(item, extended(value, path, key));
    } else {
      throw new JqError(
        `Cannot iterate over ${typeOf(value)}${value === null ? '' : ` (${shown(value)})`}`,
      );
    }
  }

  #recurse(place: Place, emit: Emit): void {
    this.spend(1);
    if (++this.#depth > this.budget.depthMax) throw new JqLimit('nested too deeply');
    emit(place.value, place.path);
    if (typeof place.value === 'object' && place.value !== null) {
      this.#iterate(place, (value, path) => this.#recurse({ value, path }, emit));
    }
    this.#depth--;
  }

  #logic(
    operator: 'and' | 'or',
    node: { left: Jq; right: Jq },
    scope: Scope | undefined,
    place: Place,
    emit: Emit,
  ): void {
    this.each(node.left, scope, place.value, (left) => {
      if (isTrue(left) === (operator === 'or')) emit(operator === 'or', lost(place));
      else {
        this.each(node.right, scope, place.value, (right) => emit(isTrue(right), lost(place)));
      }
    });
  }

  /** An error of the left side is an error of the whole, as in the jq that Conductor runs. */
  #alternative(
    node: { left: Jq; right: Jq },
    scope: Scope | undefined,
    place: Place,
    emit: Emit,
  ): void {
    let any = false;
    this.evaluate(node.left, scope, place, (value, path) => {
      if (!isTrue(value)) return;
      any = true;
      emit(value, path);
    });
    if (!any) this.evaluate(node.right, scope, place, emit);
  }

  /** Runs `body`; its own errors go to `handle`, those of `emit` go through. */
  attempt(body: (guarded: Emit) => void, emit: Emit, handle: (error: JqError) => void): void {
    const owner = {};
    const depth = this.#depth;
    try {
      body((value, path) => {
        try {
          emit(value, path);
        } catch (error) {
          throw error instanceof JqLimit ? error : new Passing(owner, error);
        }
      });
    } catch (error) {
      if (error instanceof Passing && error.owner === owner) throw error.error;
      if (!(error instanceof JqError)) throw error;
      this.#depth = depth;
      handle(error);
    }
  }

  #try(
    node: Extract<Jq, { kind: 'try' }>,
    scope: Scope | undefined,
    place: Place,
    emit: Emit,
  ): void {
    this.attempt(
      (guarded) => this.evaluate(node.body, scope, place, guarded),
      emit,
      (error) => {
        if (node.handler === undefined) return;
        this.evaluate(node.handler, scope, { value: error.value, path: lost(place) }, emit);
      },
    );
  }

  #label(
    node: Extract<Jq, { kind: 'label' }>,
    scope: Scope | undefined,
    place: Place,
    emit: Emit,
  ): void {
    const label: Scope = { kind: 'label', name: node.name, parent: scope };
    this.breakable(label, () => this.evaluate(node.body, label, place, emit));
  }

  /** Runs `body`, which `break` of `label` ends. */
  breakable(label: Scope, body: () => void): void {
    const depth = this.#depth;
    try {
      body();
    } catch (error) {
      if (!(error instanceof Break) || error.label !== label) throw error;
      this.#depth = depth;
    }
  }

  /** Runs `body` until it calls `stop`. */
  stoppable(body: (stop: () => never) => void): void {
    const label: Scope = { kind: 'label', name: '', parent: undefined };
    this.breakable(label, () =>
      body(() => {
        throw new Break(label);
      }),
    );
  }

  /** The paths of a path expression. */
  pathsOf(node: Jq, scope: Scope | undefined, value: Json): (readonly Json[])[] {
    const paths: (readonly Json[])[] = [];
    this.evaluate(node, scope, { value, path: [] }, (found, path) => {
      paths.push(reached(found, path));
    });
    return paths;
  }

  calculate(operator: BinaryOperator, left: Json, right: Json): Json {
    this.spend(calculationCost(operator, left, right, this.#stepsLeft));
    switch (operator) {
      case '+':
        return add(left, right);
      case '-':
        return subtract(left, right);
      case '*':
        return multiply(left, right);
      case '/':
        return divide(left, right);
      case '%':
        return modulo(left, right);
      case '==':
        return compare(left, right) === 0;
      case '!=':
        return compare(left, right) !== 0;
      case '<':
        return compare(left, right) < 0;
      case '<=':
        return compare(left, right) <= 0;
      case '>':
        return compare(left, right) > 0;
      case '>=':
        return compare(left, right) >= 0;
    }
  }

  #variable(name: string, scope: Scope | undefined): Json {
    for (let at = scope; at !== undefined; at = at.parent) {
      if (at.kind === 'variable' && at.name === name) return at.value;
    }
    // No environment of the server is visible to programs.
    if (name === 'ENV') return {};
    if (name === '__prog_args') return [];
    throw new JqUndefined(`Undefined variable: $${name}`);
  }

  /** Calls a function by name: a parameter, a definition in scope, or one of the language. */
  call(
    name: string,
    args: readonly Jq[],
    scope: Scope | undefined,
    place: Place,
    emit: Emit,
  ): void {
    for (let at = scope; at !== undefined; at = at.parent) {
      if (at.kind === 'closure' && at.name === name && args.length === 0) {
        return this.evaluate(at.body, at.scope, place, emit);
      }
      if (
        at.kind === 'function' &&
        at.definition.name === name &&
        at.definition.params.length === args.length
      ) {
        return this.#callDefined(at, args, scope, place, emit);
      }
    }
    const signature = `${name}/${args.length}`;
    const written = this.library.definitions.get(signature);
    if (written !== undefined) {
      const callee = { kind: 'function', definition: written, parent: undefined } as const;
      return this.#callDefined(callee, args, scope, place, emit);
    }
    const native = this.library.natives.get(signature);
    if (native === undefined) throw new JqUndefined(`Function ${signature} does not exist`);
    native(this, { args, scope, place }, emit);
  }

  #callDefined(
    callee: Extract<Scope, { kind: 'function' }>,
    args: readonly Jq[],
    scope: Scope | undefined,
    place: Place,
    emit: Emit,
  ): void {
    const { params, body } = callee.definition;
    const go = (at: number, inner: Scope): void => {
      const param = params[at];
      if (param === undefined) return this.evaluate(body, inner, place, emit);
      const arg = args[at] as Jq;
      if (!param.startsWith('$')) {
        return go(at + 1, { kind: 'closure', name: param, body: arg, scope, parent: inner });
      }
      const name = param.slice(1);
      this.each(arg, scope, place.value, (value) => {
        const closure: Scope = {
          kind: 'closure',
          name,
          body: { kind: 'literal', value },
          scope: undefined,
          parent: inner,
        };
        go(at + 1, { kind: 'variable', name, value, parent: closure });
      });
    };
    go(0, callee);
  }
}
