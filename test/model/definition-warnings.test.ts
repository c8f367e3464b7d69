import { describe, expect, it } from 'vitest';
import {
  definitionFields,
  definitionWarnings,
  taskFields,
  warningsMax,
} from '../../src/model/definition-warnings.js';
import { workflowDefSchema, workflowTaskSchema } from '../../src/model/workflow-def.js';

describe('what a definition probably does not mean', () => {
  it('is told for fields and types, wherever tasks stand', () => {
    const task = { name: 'x', taskReferenceName: 'x' };
    const def = {
      name: 'w',
      retryConut: 1,
      tasks: [
        { ...task, type: 'SIMPEL', inputParameter: {} },
        { ...task, type: 'SWITCH', decisionCases: { a: [{ ...task, type: 'HTPP' }] } },
        { ...task, type: 'FORK_JOIN', forkTasks: [[{ ...task, optionl: true }]] },
        { ...task, type: 'DO_WHILE', loopOver: [{ ...task, type: 'my_worker' }] },
      ],
    };
    expect(definitionWarnings(def)).toEqual([
      'retryConut: there is no such field.',
      'tasks[0].inputParameter: there is no such field. Did you mean inputParameters?',
      "tasks[0].type: no task type is called 'SIMPEL', so a worker must poll for tasks of that name. Did you mean SIMPLE?",
      "tasks[1].decisionCases[a][0].type: no task type is called 'HTPP', so a worker must poll for tasks of that name. Did you mean HTTP?",
      'tasks[2].forkTasks[0][0].optionl: there is no such field. Did you mean optional?',
      "tasks[3].loopOver[0].type: no task type is called 'my_worker', so a worker must poll for tasks of that name.",
    ]);
  });

  it('is told of what is kept without effect', () => {
    const cacheConfig = { key: '${id}', ttlInSecond: 60 };
    const task = { name: 'x', taskReferenceName: 'x', type: 'SIMPLE' };
    const def = { name: 'w', cacheConfig: null, tasks: [task, { ...task, cacheConfig }] };
    expect(definitionWarnings(def)).toEqual([
      'tasks[1].cacheConfig: it is kept and has no effect here: the task runs each time.',
    ]);
  });

  it('is bounded', () => {
    const fields = Object.fromEntries(Array.from({ length: 99 }, (_, i) => [`strange${i}`, 1]));
    expect(definitionWarnings({ ...fields, tasks: [fields] })).toHaveLength(warningsMax);
  });

  it('is nothing of a field that the API describes', () => {
    const described = Object.keys(workflowDefSchema.properties ?? {});
    expect(described.filter((name) => !definitionFields.has(name))).toEqual([]);
    const ofTasks = Object.keys(workflowTaskSchema.properties ?? {});
    expect(ofTasks.filter((name) => !taskFields.has(name))).toEqual([]);
    expect(ofTasks.length).toBeGreaterThan(20);
  });
});
