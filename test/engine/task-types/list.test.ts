// The lists of task types against each other and against the names of the field.
import { describe, expect, it } from 'vitest';
import { fieldTaskTypes } from '../../../src/model/field-task-types.js';
import { engineTaskTypes } from '../../../src/engine/task-types/list.js';
import { runsOfEngineTypes } from '../../../src/system-task/list.js';
import { serverTaskTypes } from '../../../src/server/task-types.js';
import { systemTaskTypes } from '../../support/every-plugin.js';
import { simple, workflow, World } from '../support/world.js';

const engineNames = engineTaskTypes.flatMap(({ names }) => names);
const workerTypes = ['SIMPLE', 'DYNAMIC'];
const ownNames = serverTaskTypes.map(({ name }) => name);
const built = [...engineNames, ...systemTaskTypes.keys()];

describe('the lists of task types', () => {
  it('name each type once', () => {
    expect(built).toEqual([...new Set(built)]);
    expect(ownNames).toEqual([...new Set(ownNames)]);
  });

  it('hold no type that the field does not know', () => {
    const unknown = built.filter(
      (name) => !fieldTaskTypes.has(name) && !workerTypes.includes(name),
    );
    expect(unknown).toEqual([]);
  });

  it('say of what the server enters for the engine by which run it does so', () => {
    const entered = engineTaskTypes.flatMap(({ names, runByServer }) =>
      runByServer === undefined ? [] : names.map((name) => [name, runByServer.enteredAs]),
    );
    expect(entered).toEqual([['WAIT', 'WAIT_FOR_WEBHOOK']]);
    expect(runsOfEngineTypes(systemTaskTypes).map(({ name }) => name)).toEqual(['WAIT']);
  });
});

describe('a task of a type that is not carried out here', () => {
  const notRun = [...fieldTaskTypes].filter((name) => name !== 'FORK' && !built.includes(name));

  it.each(notRun)('fails with a reason that names %s, without a retry', (type) => {
    const world = new World({ taskDefs: [{ name: 'n', retryCount: 3, retryDelaySeconds: 1 }] });
    const config = { name: 'n', taskReferenceName: 'n', type, inputParameters: { a: 1 } };
    const id = world.start(workflow([config, simple('after')]));
    expect(world.task(id, 'n')).toMatchObject({
      taskType: type,
      defName: 'n',
      status: 'FAILED_WITH_TERMINAL_ERROR',
      reason: `This server does not carry out tasks of type ${type}`,
    });
    expect(world.task(id, 'n').input.value).toEqual({ a: 1 });
    expect(world.open(id).execution.state).toMatchObject({
      status: 'FAILED',
      reasonForIncompletion: expect.stringContaining(type) as string,
    });
  });

  it('fails also where a DYNAMIC names it', () => {
    const world = new World();
    const config = {
      name: 'd',
      taskReferenceName: 'd',
      type: 'DYNAMIC',
      dynamicTaskNameParam: 'which',
      inputParameters: { which: notRun[0] ?? '' },
    };
    const id = world.start(workflow([config]));
    expect(world.task(id, 'd')).toMatchObject({
      taskType: notRun[0],
      status: 'FAILED_WITH_TERMINAL_ERROR',
    });
  });
});

describe('a worker task', () => {
  it('stays one when it is named like a type of the server or the engine', () => {
    for (const name of ['HTTP', 'JOIN', 'GRPC']) {
      const world = new World();
      const id = world.start(workflow([{ ...simple('s'), name }]));
      expect(world.task(id, 's')).toMatchObject({ taskType: name, status: 'SCHEDULED' });
      const kinds = world.outputs.map(({ output }) => output.kind);
      expect(kinds).toContain('schedule');
      expect(kinds).not.toContain('run-system-task');
    }
  });
});
