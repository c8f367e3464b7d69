// A type of system task gets the services that it names, and one that leaves something out does not
// compile: the compiler runs the cases that expect an error.
import { expect, it } from 'vitest';
import { serverTaskTypes } from '../../src/server/task-types.js';
import {
  systemTask,
  systemTaskType,
  type SystemTask,
  type SystemTaskServices,
} from '../../src/system-task/system-task.js';
import { systemClock } from '../../src/std/clock.js';

const run: SystemTask['run'] = () => Promise.resolve({ status: 'COMPLETED', output: {} });
const confirm: SystemTask['confirm'] = () => Promise.resolve();
const base = { name: 'T', reaches: [] } as const;

it('a type gets the services that it names and no other', () => {
  const seen: string[][] = [];
  const type = systemTaskType({
    ...base,
    needs: ['clock', 'instance'],
    create(services) {
      seen.push(Object.keys(services));
      return systemTask({ run });
    },
  });
  const services: Pick<SystemTaskServices, 'clock' | 'instance' | 'metricsServerUrl'> = {
    clock: systemClock,
    instance: 'node',
    metricsServerUrl: '',
  };
  type.create(services as SystemTaskServices);
  expect(seen).toEqual([['clock', 'instance']]);
});

it('a type that leaves something out does not compile', () => {
  const create = (): SystemTask => systemTask({ run });
  // @ts-expect-error: `needs` is missing
  systemTaskType({ ...base, create });
  // @ts-expect-error: `reaches` is missing
  systemTaskType({ name: 'T', needs: [], create });
  // @ts-expect-error: `create` is missing
  expect(() => systemTaskType({ ...base, needs: [] }).create({})).toThrow();
  systemTaskType({
    ...base,
    needs: ['clock'],
    // @ts-expect-error: `instance` is not named
    create: ({ clock, instance }) => systemTask({ run, lane: () => `${clock.now()}${instance}` }),
  });
  const needsClock = ({ clock }: Pick<SystemTaskServices, 'clock'>): SystemTask =>
    systemTask({ run, lane: () => String(clock.now()) });
  // @ts-expect-error: `clock` is not named
  systemTaskType({ ...base, needs: [], create: needsClock });
  // @ts-expect-error: no such service
  systemTaskType({ ...base, needs: ['sundial'], create });
});

it('a run that enters something elsewhere says how it makes sure of that', () => {
  // @ts-expect-error: `run` is missing
  systemTask({});
  // @ts-expect-error: `confirm` is missing
  systemTask({ run, isShownRunning: false });
  expect(systemTask({ run }).isShownRunning).toBe(true);
  expect(systemTask({ run, isShownRunning: false, confirm }).confirm).toBe(confirm);
});

it('each type names its services once', () => {
  for (const { name, needs } of serverTaskTypes) {
    expect(new Set(needs).size, name).toBe(needs.length);
  }
});
