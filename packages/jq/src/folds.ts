// `reduce` and `foreach` (machine.ts).
import type { Jq } from './ast.js';
import { bind } from './patterns.js';
import { type At, type Emit, type Evaluator, lost, type Place } from './scope.js';

export function reduce(
  machine: Evaluator,
  node: Extract<Jq, { kind: 'reduce' }>,
  { scope, place }: At,
  emit: Emit,
): void {
  machine.evaluate(node.init, scope, place, (initValue, initPath) => {
    let state: Place = { value: initValue, path: initPath };
    machine.each(node.source, scope, place.value, (item) =>
      bind(machine, { pattern: node.pattern, value: item, scope, dot: place.value }, (inner) => {
        let next: Place = { value: null, path: lost(place) };
        machine.evaluate(node.update, inner, state, (value, path) => (next = { value, path }));
        state = next;
      }),
    );
    emit(state.value, state.path);
  });
}

export function foreach(
  machine: Evaluator,
  node: Extract<Jq, { kind: 'foreach' }>,
  { scope, place }: At,
  emit: Emit,
): void {
  machine.evaluate(node.init, scope, place, (initValue, initPath) => {
    let state: Place = { value: initValue, path: initPath };
    machine.each(node.source, scope, place.value, (item) =>
      bind(machine, { pattern: node.pattern, value: item, scope, dot: place.value }, (inner) =>
        machine.evaluate(node.update, inner, state, (value, path) => {
          state = { value, path };
          if (node.extract === undefined) emit(value, path);
          else machine.evaluate(node.extract, inner, state, emit);
        }),
      ),
    );
  });
}
