// Functions of jq that take filters as arguments or handle paths.
import type { Json } from './json.js';
import type { Jq } from './ast.js';
import type { Native } from './machine.js';
import { type Emit, lost, reached } from './scope.js';
import { listOf, NativeTable, numberOf } from './natives.js';
import { getPath } from './paths.js';
import { compare, isTrue } from './values.js';
import { deepCost, sortCost } from './weights.js';

export const filterFunctions = new NativeTable();

filterFunctions.set('empty/0', () => undefined);
filterFunctions.set('path/1', (machine, { args, scope, place }, emit) => {
  const start = { value: place.value, path: [] };
  machine.evaluate(args[0] as Jq, scope, start, (value, path) => {
    emit([...reached(value, path)], lost(place));
  });
});
filterFunctions.set('getpath/1', (machine, { args, scope, place }, emit) => {
  machine.each(args[0] as Jq, scope, place.value, (path) => {
    const keys = listOf(path, 'Path must be specified as an array');
    machine.spend(deepCost(keys, machine.stepsLeft));
    const whole =
      place.path === undefined ? undefined : [...reached(place.value, place.path), ...keys];
    emit(getPath(place.value, keys), whole);
  });
});
filterFunctions.set('range/2', (machine, { args, scope, place }, emit) => {
  machine.each(args[0] as Jq, scope, place.value, (from) =>
    machine.each(args[1] as Jq, scope, place.value, (to) => {
      const end = numberOf(to);
      for (let i = numberOf(from); i < end; i++) {
        machine.spend(1);
        emit(i, lost(place));
      }
    }),
  );
});
filterFunctions.set('range/3', (machine, { args, scope, place }, emit) => {
  machine.each(args[0] as Jq, scope, place.value, (from) =>
    machine.each(args[1] as Jq, scope, place.value, (to) =>
      machine.each(args[2] as Jq, scope, place.value, (step) => {
        const end = numberOf(to);
        const by = numberOf(step);
        if (by === 0) return;
        for (let i = numberOf(from); by > 0 ? i < end : i > end; i += by) {
          machine.spend(1);
          emit(i, lost(place));
        }
      }),
    ),
  );
});
filterFunctions.set('limit/2', (machine, { args, scope, place }, emit) => {
  machine.each(args[0] as Jq, scope, place.value, (count) => {
    let left = numberOf(count);
    if (left <= 0) return;
    machine.stoppable((stop) =>
      machine.evaluate(args[1] as Jq, scope, place, (value, path) => {
        left--;
        emit(value, path);
        if (left <= 0) stop();
      }),
    );
  });
});
filterFunctions.set('first/1', (machine, { args, scope, place }, emit) => {
  machine.stoppable((stop) =>
    machine.evaluate(args[0] as Jq, scope, place, (value, path) => {
      emit(value, path);
      stop();
    }),
  );
});
filterFunctions.set('until/2', (machine, { args, scope, place }, emit) => {
  const go = (value: Json, path: typeof place.path): void =>
    machine.each(args[0] as Jq, scope, value, (done) => {
      if (isTrue(done)) emit(value, path);
      else machine.evaluate(args[1] as Jq, scope, { value, path }, go);
    });
  go(place.value, place.path);
});
filterFunctions.set('isempty/1', (machine, { args, scope, place }, emit) => {
  let any = false;
  machine.stoppable((stop) =>
    machine.each(args[0] as Jq, scope, place.value, () => {
      any = true;
      stop();
    }),
  );
  emit(!any, lost(place));
});
filterFunctions.set('any/2', (machine, call, emit) => quantify(machine, call, emit, true));
filterFunctions.set('all/2', (machine, call, emit) => quantify(machine, call, emit, false));
for (const [name, then] of Object.entries({
  'sort_by/1': (groups: Group[]) => groups.flatMap((group) => group.items),
  'group_by/1': (groups: Group[]) => groups.map((group) => group.items),
  'unique_by/1': (groups: Group[]) => groups.map((group) => group.items[0] as Json),
  'min_by/1': (groups: Group[]) => groups.at(0)?.items[0] ?? null,
  'max_by/1': (groups: Group[]) => groups.at(-1)?.items.at(-1) ?? null,
})) {
  filterFunctions.set(name, (machine, { args, scope, place }, emit) => {
    const list = listOf(place.value, 'cannot be sorted, as it is not an array');
    const keyed = list.map((item) => {
      const key: Json[] = [];
      machine.each(args[0] as Jq, scope, item, (value) => key.push(value));
      return { key, item };
    });
    const weight = deepCost(
      keyed.map(({ key }) => key),
      machine.stepsLeft,
    );
    machine.spend(sortCost(keyed.length, weight));
    emit(then(groupsOf(keyed)), lost(place));
  });
}

interface Group {
  key: Json;
  items: Json[];
}

/** Items with equal keys together, ordered by key, within a group in their old order. */
function groupsOf(keyed: readonly { key: Json; item: Json }[]): Group[] {
  const groups: Group[] = [];
  for (const { key, item } of keyed.toSorted((a, b) => compare(a.key, b.key))) {
    const last = groups.at(-1);
    if (last !== undefined && compare(last.key, key) === 0) last.items.push(item);
    else groups.push({ key, items: [item] });
  }
  return groups;
}

function quantify(
  machine: Parameters<Native>[0],
  { args, scope, place }: Parameters<Native>[1],
  emit: Emit,
  wanted: boolean,
): void {
  let found = false;
  machine.stoppable((stop) =>
    machine.each(args[0] as Jq, scope, place.value, (item) =>
      machine.each(args[1] as Jq, scope, item, (value) => {
        if (isTrue(value) !== wanted) return;
        found = true;
        stop();
      }),
    ),
  );
  emit(found === wanted, lost(place));
}
