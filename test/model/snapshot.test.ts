import { describe, expect, it } from 'vitest';
import { parseTaskDef } from '../../src/model/parse-task-def.js';
import { Snapshots, type SnapshotSource } from '../../src/model/snapshot.js';
import type { JsonMap } from '../../src/model/json.js';
import { systemTaskTypes } from '../support/every-plugin.js';
import type { WorkflowDef, WorkflowTask } from '../../src/model/workflow-def.js';
import { parseWorkflowDef } from '../support/parse-workflow-def.js';

class Source implements SnapshotSource {
  revision = 1;
  retryCount = 5;
  readonly child = parseWorkflowDef({ name: 'child', version: 4, tasks: [] }, '');

  taskDef(name: string): ReturnType<SnapshotSource['taskDef']> {
    if (name !== 'known') return undefined;
    return parseTaskDef({ name, retryCount: this.retryCount }, '');
  }

  shownInput(config: WorkflowTask): JsonMap | undefined {
    return systemTaskTypes.get(config.type)?.shownInput(config);
  }

  workflowDef(name: string): WorkflowDef | undefined {
    return name === 'child' ? this.child : undefined;
  }
}

const def = (...tasks: object[]): WorkflowDef => parseWorkflowDef({ name: 'w', tasks }, '');
const task = (over: object): object => ({ name: 't', taskReferenceName: 't', ...over });

/** The first configuration of a snapshot. */
function embedded(over: object): WorkflowTask {
  return new Snapshots(new Source()).of(def(task(over))).def.tasks[0] as WorkflowTask;
}

describe('a snapshot', () => {
  it('carries the registered task definition', () => {
    expect(embedded({ name: 'known' }).taskDefinition?.retryCount).toBe(5);
  });

  it('gives an unregistered SIMPLE task the class defaults, other types no retries', () => {
    expect(embedded({}).taskDefinition).toMatchObject({
      name: 't',
      retryCount: 3,
      responseTimeoutSeconds: 3600,
      createTime: 0,
    });
    for (const type of ['HTTP', 'DYNAMIC', 'DO_WHILE', 'UNKNOWN']) {
      expect(embedded({ type }).taskDefinition).toMatchObject({
        retryCount: 0,
        responseTimeoutSeconds: 0,
      });
    }
  });

  it('keeps a definition that the configuration carries itself', () => {
    const own = { name: 'known', retryCount: 9 };
    expect(embedded({ name: 'known', taskDefinition: own }).taskDefinition?.retryCount).toBe(9);
  });

  it('reaches configurations inside decisions, forks and loops', () => {
    const inner = (name: string): object => ({ name: 'known', taskReferenceName: name });
    const made = embedded({
      type: 'SWITCH',
      decisionCases: { a: [task({ type: 'FORK_JOIN', forkTasks: [[inner('f')]] })] },
      defaultCase: [task({ type: 'DO_WHILE', loopOver: [inner('l')] })],
    });
    const fork = made.decisionCases['a']?.[0] as WorkflowTask;
    expect(fork.forkTasks[0]?.[0]?.taskDefinition?.retryCount).toBe(5);
    expect(made.defaultCase[0]?.loopOver[0]?.taskDefinition?.retryCount).toBe(5);
  });

  it('settles an absent sub-workflow version and leaves 0 and inline definitions alone', () => {
    const sub = (subWorkflowParam: object): unknown =>
      embedded({ type: 'SUB_WORKFLOW', subWorkflowParam }).subWorkflowParam?.version;
    expect(sub({ name: 'child' })).toBe(4);
    expect(sub({ name: '${workflow.input.n}', version: 0 })).toBe(0);
    expect(sub({ workflowDefinition: '${workflow.input.d}' })).toBeUndefined();
    expect(sub({ workflowDefinition: { name: 'i', version: 2 } })).toBe(2);
  });

  it('refuses a sub-workflow without definition by name', () => {
    expect(() => embedded({ type: 'SUB_WORKFLOW', subWorkflowParam: { name: 'none' } })).toThrow(
      'The Task none defined as a sub-workflow has no workflow definition available',
    );
  });

  it('leaves the registered definition as it is', () => {
    const registered = def(task({}));
    new Snapshots(new Source()).of(registered);
    expect(registered.tasks[0]).not.toHaveProperty('taskDefinition');
  });

  it('is one object for equal content and named by it', () => {
    const first = new Snapshots(new Source()).of(def(task({})));
    const second = new Snapshots(new Source()).of(def(task({})));
    expect(second).toBe(first);
    expect(first.hash).toMatch(/^[0-9a-f]{32}$/);
    expect(new Snapshots(new Source()).of(def(task({ optional: true }))).hash).not.toBe(first.hash);
  });

  it('is made once per revision of the definitions', () => {
    const source = new Source();
    const snapshots = new Snapshots(source);
    const registered = def(task({ name: 'known' }));
    const first = snapshots.of(registered);
    source.retryCount = 6;
    expect(snapshots.of(registered)).toBe(first);
    source.revision++;
    expect(snapshots.of(registered).def.tasks[0]?.taskDefinition?.retryCount).toBe(6);
    expect(first.def.tasks[0]?.taskDefinition?.retryCount).toBe(5);
  });
});
