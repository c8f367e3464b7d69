// Evaluates parsed JSON paths (semantics 3.2.5 to 3.2.7) by walking the value: own properties only,
// no generated code, and a budget of steps and depth for each path (invariants S4), beyond which
// the path is worth null.
import type {
  Json,
  JsonMap,
  JsonPath,
  PathCondition,
  PathOperand,
  PathOperator,
  PathStep,
} from './path.js';
import { compareValues, compilePattern } from './comparison.js';
import { applyPathFunction, applyToEach } from './functions.js';

/** The value of `$`. */
export interface PathRoot {
  /** The value that the first steps lead to, and how many of them those were. */
  begin(steps: readonly PathStep[]): PathBegin;
}

export interface PathBegin {
  readonly value: Json | undefined;
  /** Index of the step to take next. */
  readonly next: number;
}

/** A root that is one value. */
export function rootOf(value: Json): PathRoot {
  return { begin: () => ({ value, next: 0 }) };
}

/** Values a path may visit; a path over 100,000 list elements still fits. */
const pathStepsMax = 500_000;
/** Levels a deep scan goes down. */
const scanDepthMax = 512;

/**
 * The value `path` leads to; null when there is none, when a pattern is malformed, and beyond the
 * budget. `visited` is told how many values were visited for it.
 */
export function evaluatePath(
  path: JsonPath,
  root: PathRoot,
  visited?: (values: number) => void,
): Json {
  const search = new PathSearch(root);
  try {
    return search.valueOf(path, undefined) ?? null;
  } catch (error) {
    if (error instanceof PathGivenUp) return null;
    throw error;
  } finally {
    visited?.(search.visited);
  }
}

/** An own property of a map; undefined for everything else. */
function ownValue(value: Json | undefined, key: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

class PathGivenUp extends Error {}

class PathSearch {
  #stepsLeft = pathStepsMax;

  constructor(readonly root: PathRoot) {}

  get visited(): number {
    return pathStepsMax - this.#stepsLeft;
  }

  /** `element` is what `@` stands for. Undefined: a definite path that leads nowhere. */
  valueOf(path: JsonPath, element: Json | undefined): Json | undefined {
    const { steps } = path;
    let { value, next } = this.#begin(path, element);
    while (next < steps.length) {
      const call = findCall(steps, next);
      value = this.#stretch(steps, { from: next, to: call }, value);
      const step = steps[call];
      if (step?.kind === 'call') {
        const args = this.#arguments(step.args, element);
        value = isIndefinite(steps, next, call)
          ? applyToEach(step.name, steps[call - 1]?.kind === 'scan' ? [] : value, args)
          : applyPathFunction(step.name, value, args);
      }
      next = call + 1;
    }
    return value;
  }

  #begin(path: JsonPath, element: Json | undefined): PathBegin {
    if (path.root === '@' && element !== undefined) return { value: element, next: 0 };
    return this.root.begin(path.steps);
  }

  #arguments(args: readonly PathOperand[], element: Json | undefined): Json[] {
    const values: Json[] = [];
    for (const arg of args) {
      const value = this.#operand(arg, element);
      if (value !== undefined) values.push(value);
    }
    return values;
  }

  /** Steps without a function between `from` and `to`. */
  #stretch(
    steps: readonly PathStep[],
    range: { from: number; to: number },
    value: Json | undefined,
  ): Json | undefined {
    let current = value;
    for (let i = range.from; i < range.to; i++) {
      const step = steps[i] as PathStep;
      if (step.kind === 'key') current = ownValue(current, step.key);
      else if (step.kind === 'index') current = elementAt(current, step.index);
      else if (step.kind === 'keys' && i === range.to - 1) current = pick(current, step.keys);
      else {
        const found: Json[] = [];
        if (current !== undefined) this.#collect(steps.slice(i, range.to), 0, current, found);
        return found;
      }
    }
    return current;
  }

  #spend(cost: number): void {
    this.#stepsLeft -= cost;
    if (this.#stepsLeft < 0) throw new PathGivenUp();
  }

  /** Adds every value that `steps` from `at` on lead to. */
  #collect(steps: readonly PathStep[], at: number, value: Json, found: Json[]): void {
    this.#spend(1);
    const step = steps[at];
    if (step === undefined) {
      found.push(value);
      return;
    }
    if (step.kind === 'scan') {
      this.#scan(steps, { at: at + 1, depth: 0 }, value, found);
      return;
    }
    for (const next of this.#branch(step, at === steps.length - 1, value)) {
      if (next !== undefined) this.#collect(steps, at + 1, next, found);
    }
  }

  /** The values one step leads to. */
  #branch(step: PathStep, isLast: boolean, value: Json): readonly (Json | undefined)[] {
    switch (step.kind) {
      case 'key':
        return [ownValue(value, step.key)];
      case 'keys':
        if (isLast) return [pick(value, step.keys)];
        return step.keys.map((key) => ownValue(value, key));
      case 'index':
        return [elementAt(value, step.index)];
      case 'indexes':
        return step.indexes.map((index) => elementAt(value, index));
      case 'slice':
        return Array.isArray(value) ? value.slice(step.from ?? 0, step.to ?? value.length) : [];
      case 'all':
        return childrenOf(value);
      case 'filter': {
        const candidates = Array.isArray(value) ? value : [value];
        return candidates.filter((item) => {
          this.#spend(1);
          return this.#holds(step.condition, item);
        });
      }
      case 'scan':
      case 'call':
        return [];
    }
  }

  /** Tries the step at `at` on every map and list from `value` down, the outer ones first. */
  #scan(
    steps: readonly PathStep[],
    place: { at: number; depth: number },
    value: Json,
    found: Json[],
  ): void {
    if (typeof value !== 'object' || value === null) return;
    if (place.depth > scanDepthMax) throw new PathGivenUp();
    this.#spend(1);
    if (steps[place.at]?.kind === 'filter' && Array.isArray(value)) {
      // Maps and lists inside are tried on their own; only plain elements are left to the list.
      const plain = value.filter((item) => typeof item !== 'object' || item === null);
      this.#collect(steps, place.at, plain, found);
    } else {
      this.#collect(steps, place.at, value, found);
    }
    const deeper = { at: place.at, depth: place.depth + 1 };
    for (const child of childrenOf(value)) this.#scan(steps, deeper, child, found);
  }

  #holds(condition: PathCondition, element: Json): boolean {
    this.#spend(1);
    switch (condition.kind) {
      case 'and':
        return condition.items.every((item) => this.#holds(item, element));
      case 'or':
        return condition.items.some((item) => this.#holds(item, element));
      case 'not':
        return !this.#holds(condition.item, element);
      case 'constant':
        return condition.value;
      case 'exists': {
        const value = this.valueOf(condition.path, element);
        return condition.path.definite
          ? value !== undefined
          : Array.isArray(value) && value.length > 0;
      }
      case 'compare':
        return this.#compare(condition.operator, condition.left, condition.right, element);
    }
  }

  #compare(operator: PathOperator, left: PathOperand, right: PathOperand, element: Json): boolean {
    if (operator === '=~') {
      return left.kind === 'regex'
        ? this.#matches(left, this.#operand(right, element))
        : this.#matches(right, this.#operand(left, element));
    }
    const a = this.#operand(left, element);
    const b = this.#operand(right, element);
    if (Array.isArray(a)) this.#spend(a.length);
    if (Array.isArray(b)) this.#spend(b.length * (Array.isArray(a) ? a.length : 1));
    return compareValues(operator, a, b);
  }

  /** The whole text must match; of a list, one element. */
  #matches(operand: PathOperand, value: Json | undefined): boolean {
    if (operand.kind !== 'regex') return false;
    const pattern = compilePattern(operand.pattern, operand.flags);
    if (pattern === undefined) throw new PathGivenUp();
    const texts = Array.isArray(value) ? value : [value];
    return texts.some((text) => {
      if (typeof text !== 'string') return false;
      this.#spend(1 + text.length);
      return pattern.matcher(text).matches();
    });
  }

  #operand(operand: PathOperand, element: Json | undefined): Json | undefined {
    switch (operand.kind) {
      case 'value':
        return operand.value;
      case 'path':
        // A side that leads nowhere is null, as in Jayway's library.
        return this.valueOf(operand.path, element) ?? null;
      case 'regex':
        return undefined;
    }
  }
}

function findCall(steps: readonly PathStep[], from: number): number {
  let at = from;
  while (at < steps.length && steps[at]?.kind !== 'call') at++;
  return at;
}

/** Whether the steps between `from` and `to` lead to a list of places instead of one. */
function isIndefinite(steps: readonly PathStep[], from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const kind = steps[at]?.kind;
    if (kind !== 'key' && kind !== 'index' && (kind !== 'keys' || at < to - 1)) return true;
  }
  return false;
}

function elementAt(value: Json | undefined, index: number): Json | undefined {
  if (!Array.isArray(value)) return undefined;
  return value[index < 0 ? value.length + index : index];
}

function childrenOf(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

/** The named keys of a map, as far as it has them. */
function pick(value: Json | undefined, keys: readonly string[]): JsonMap | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const entries = keys.filter((key) => Object.hasOwn(value, key)).map((key) => [key, value[key]]);
  return Object.fromEntries(entries) as JsonMap;
}
