// Snapshots of definitions (semantics 0.4): what an execution keeps of its workflow definition,
// with the task definition of every configuration inside it and the version of every sub-workflow
// settled, so that later edits do not change what runs. A snapshot is named by a hash of its
// content. Equal snapshots are one object per process, because the compiled graph and the JSON
// texts hang on that object; the table does not keep a snapshot alive.
import { createHash } from 'node:crypto';
import { atOnce, eachInSteps, inSlices, type Steps } from '../std/slices.js';
import { AppError } from './errors.js';
import type { DefinitionSnapshot } from './execution.js';
import type { JsonMap } from './json.js';
import { mapTask } from './nested-tasks.js';
import { adHocTaskDef } from './parse-task-def.js';
import type { TaskDef } from './task-def.js';
import type { SubWorkflowParams, WorkflowDef, WorkflowTask } from './workflow-def.js';
import { writingWorkflowDefJson } from './workflow-def-json.js';

/** The registered definitions as they are now. */
export interface SnapshotSource {
  taskDef(name: string): TaskDef | undefined;
  /** Latest version when `version` is absent or 0. */
  workflowDef(name: string, version?: number): WorkflowDef | undefined;
  /**
   * Input parameters that tasks of this type always get; they are shown as if the definition had
   * said them (semantics 4.12, 4.16).
   */
  shownInput(task: WorkflowTask): JsonMap | undefined;
  /** Changes whenever an answer of the two may have changed. */
  readonly revision: number;
}

interface CacheEntry {
  readonly revision: number;
  readonly snapshot: DefinitionSnapshot;
}

/**
 * Makes snapshots; one definition object costs one embedding and one hash per revision of the
 * definitions.
 */
export class Snapshots {
  readonly #made = new WeakMap<WorkflowDef, CacheEntry>();

  constructor(private readonly source: SnapshotSource) {}

  /**
   * Throws AppError 'bad-request' when a sub-workflow without version has no definition (semantics
   * 0.4.3).
   */
  of(def: WorkflowDef): DefinitionSnapshot {
    return this.#current(def) ?? atOnce(this.#making(def));
  }

  /**
   * Has the snapshot made in slices of the event loop; undefined when it is there. Rejects as `of`
   * throws.
   */
  prepare(def: WorkflowDef): Promise<unknown> | undefined {
    return this.#current(def) === undefined ? inSlices(this.#making(def)) : undefined;
  }

  #current(def: WorkflowDef): DefinitionSnapshot | undefined {
    const made = this.#made.get(def);
    return made?.revision === this.source.revision ? made.snapshot : undefined;
  }

  *#making(def: WorkflowDef): Steps<DefinitionSnapshot> {
    const { revision } = this.source;
    const embedded = yield* embedding(def, this.source);
    const text = yield* writingWorkflowDefJson(embedded);
    // The hash of a large definition takes as long as many slices, and so does what comes after.
    yield;
    const snapshot = internSnapshot({ hash: contentHash(text), def: embedded });
    yield;
    // Something else may have been registered during a pause: then this one is no longer current.
    if (revision === this.source.revision) this.#made.set(def, { revision, snapshot });
    return snapshot;
  }
}

/** A copy of `def` as an execution keeps it. */
function* embedding(def: WorkflowDef, source: SnapshotSource): Steps<WorkflowDef> {
  const tasks: WorkflowTask[] = [];
  yield* eachInSteps(def.tasks, (task) => tasks.push(mapTask(task, (copy) => embed(copy, source))));
  return { ...def, tasks };
}

/**
 * A definition as another server has shown it with an execution of its own, which names nothing of
 * this server.
 */
export function snapshotAsShown(def: WorkflowDef): DefinitionSnapshot {
  const text = atOnce(writingWorkflowDefJson(def));
  return internSnapshot({ hash: contentHash(text), def });
}

/** 32 hex digits that name a snapshot's text in the store. */
export function contentHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

const interned = new Map<string, WeakRef<DefinitionSnapshot>>();
const collected = new FinalizationRegistry<string>((hash) => {
  if (interned.get(hash)?.deref() === undefined) interned.delete(hash);
});

/** The one object for this content: an earlier one if there is any, else the given one. */
function internSnapshot(snapshot: DefinitionSnapshot): DefinitionSnapshot {
  const known = interned.get(snapshot.hash)?.deref();
  if (known !== undefined) return known;
  interned.set(snapshot.hash, new WeakRef(snapshot));
  collected.register(snapshot, snapshot.hash);
  return snapshot;
}

/** `task` is a copy that may be changed. */
function embed(task: WorkflowTask, source: SnapshotSource): WorkflowTask {
  task.taskDefinition ??=
    source.taskDef(task.name) ?? adHocTaskDef(task.name, task.type === 'SIMPLE');
  const shown = source.shownInput(task);
  if (shown !== undefined) task.inputParameters = { ...task.inputParameters, ...shown };
  if (task.type === 'SUB_WORKFLOW' && task.subWorkflowParam !== undefined) {
    task.subWorkflowParam = settleVersion(task.subWorkflowParam, source);
  }
  return task;
}

/** An absent version becomes the latest one; 0 stays and means the latest when the task starts. */
function settleVersion(params: SubWorkflowParams, source: SnapshotSource): SubWorkflowParams {
  if (params.version !== undefined || params.workflowDefinition !== undefined) return params;
  const name = params.name ?? '';
  const def = source.workflowDef(name);
  if (def === undefined) {
    throw new AppError(
      'bad-request',
      `The Task ${name} defined as a sub-workflow has no workflow definition available `,
    );
  }
  return { ...params, version: def.version };
}
