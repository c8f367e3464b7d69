// Assignments: `=`, `|=`, `+=` and the like (machine.ts).
import type { Jq } from './ast.js';
import type { Json } from './json.js';
import { changePath, deletePaths, getPath } from './paths.js';
import { type At, type Emit, type Evaluator, lost, type Scope } from './scope.js';
import { isTrue } from './values.js';
import { changeCost } from './weights.js';

export function assign(
  machine: Evaluator,
  node: Extract<Jq, { kind: 'assign' }>,
  { scope, place }: At,
  emit: Emit,
): void {
  const paths = (): (readonly Json[])[] => machine.pathsOf(node.left, scope, place.value);
  const change = (path: readonly Json[], value: Json, apply: (old: Json) => Json): Json => {
    machine.spend(changeCost(value, path));
    return changePath(value, path, apply);
  };
  if (node.operator === 'update') {
    const toDelete: Json[][] = [];
    let value = place.value;
    for (const path of paths()) {
      const result = firstOf(machine, node.right, scope, getPath(value, path));
      if (result === undefined) toDelete.push([...path]);
      else value = change(path, value, () => result);
    }
    for (const path of toDelete) machine.spend(changeCost(value, path));
    return emit(deletePaths(value, toDelete), lost(place));
  }
  const { operator } = node;
  machine.each(node.right, scope, place.value, (right) => {
    let value = place.value;
    for (const path of paths()) {
      value = change(path, value, (old) => {
        if (operator === 'set') return right;
        if (operator === 'alternative') return isTrue(old) ? old : right;
        return machine.calculate(operator, old, right);
      });
    }
    emit(value, lost(place));
  });
}

function firstOf(
  machine: Evaluator,
  node: Jq,
  scope: Scope | undefined,
  value: Json,
): Json | undefined {
  let first: Json | undefined;
  machine.stoppable((stop) =>
    machine.each(node, scope, value, (result) => {
      first = result;
      stop();
    }),
  );
  return first;
}
