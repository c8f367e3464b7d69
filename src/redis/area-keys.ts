// Keys of the areas around executions and their queues (keys.ts) that have no room of their own:
// definitions, administrative records, vectors, human tasks, statistics and rooms.
import { encodeName, namespace } from './key-names.js';

export class AreaKeys {
  constructor(
    /** Separates deployments that share a Redis; `db` by default. */
    readonly prefix: string,
  ) {}

  // --- definitions

  /** Hash: encoded name and version to a workflow definition. */
  workflowDefs(): string {
    return `${this.prefix}:{defs}:${namespace}:workflows`;
  }

  /** Hash: encoded name to a task definition. */
  taskDefs(): string {
    return `${this.prefix}:{defs}:${namespace}:tasks`;
  }

  /** Number that rises with every change of a definition. */
  definitionRevision(): string {
    return `${this.prefix}:{defs}:${namespace}:revision`;
  }

  /**
   * Sorted set: by revision, which names it changed, for the last few hundred. Nodes of earlier
   * versions write none: a revision without an entry may have changed any name.
   */
  definitionChanges(): string {
    return `${this.prefix}:{defs}:${namespace}:changes`;
  }

  /** Channel on which changes of definitions are announced. */
  definitionChannel(): string {
    return `${this.prefix}:${namespace}:defs`;
  }

  // --- administrative records; all in one slot

  /** Hash: kind of records to the revision of its newest change, '' to the newest of all. */
  recordRevisions(): string {
    return `${this.prefix}:{rec}:${namespace}:revisions`;
  }

  /** Hash: id to a record of the kind. */
  records(kind: string): string {
    return `${this.prefix}:{rec}:${namespace}:${kind}`;
  }

  /** Sorted set: ids of the kind by the revision of their newest change, removed ones too. */
  recordChanges(kind: string): string {
    return `${this.prefix}:{rec}:${namespace}:${kind}:changes`;
  }

  /** Channel on which changes of records are announced, by their kind. */
  recordChannel(): string {
    return `${this.prefix}:${namespace}:records`;
  }

  // --- vectors; all keys of a vector store in one slot

  /** Set: spaces of a vector store; goes with the integration. */
  vectorSpaces(store: string): string {
    return `${this.#vectorStore(store)}spaces`;
  }

  /** Three hashes of a space: vectors, texts, facts (put-vectors.lua); go with the integration. */
  vectors(store: string, space: string): { vectors: string; texts: string; facts: string } {
    const start = `${this.#vectorStore(store)}of:${encodeName(space)}:`;
    return { vectors: `${start}vectors`, texts: `${start}texts`, facts: `${start}facts` };
  }

  #vectorStore(store: string): string {
    return `${this.prefix}:{vec:${encodeName(store)}}:${namespace}:`;
  }

  // --- human tasks; all in one slot

  /** Hash: task id to the entry of a human task; entries expire some time after their end. */
  humanTasks(): string {
    return `${this.prefix}:{hu}:${namespace}:tasks`;
  }

  /** Hash: task id to the sets that it stands in; entries go with the task. */
  humanTaskSets(): string {
    return `${this.prefix}:{hu}:${namespace}:sets`;
  }

  /** Sorted set: human tasks of a facet value in a state by their newest change. */
  humanTaskSet(facet: string): string {
    return `${this.prefix}:{hu}:${namespace}:by:${encodeName(facet)}`;
  }

  /** Sorted set: human tasks that have ended by the moment of their newest change. */
  humanTasksEnded(): string {
    return `${this.prefix}:{hu}:${namespace}:ended`;
  }

  /** Sorted set: open human tasks by when they are due; those that never are do not stand in it. */
  humanTasksDue(): string {
    return `${this.prefix}:{hu}:${namespace}:due`;
  }

  /** Sorted set: display names by the newest change of a task; bounded. */
  humanTaskNames(): string {
    return `${this.prefix}:{hu}:${namespace}:names`;
  }

  /**
   * List: human tasks that changed in a minute since 1970, oldest first; expires some minutes after
   * the newest one.
   */
  humanTasksChanged(minute: number): string {
    return `${this.prefix}:{hu}:${namespace}:changed:${minute}`;
  }

  /**
   * Hash: `about` and, by process, `overdue` and `reports` stay; minutes by their ten minutes
   * expire.
   */
  statistics(part: string | number): string {
    return `${this.prefix}:{stats}:${namespace}:${part}`;
  }

  /** Part of a room (room.lua), in one slot: `left:<id>` expires, others go when it is empty. */
  room(room: string, part: string): string {
    return `${this.prefix}:{room:${room}}:${namespace}:${part}`;
  }
}
