// The knowledge of a step besides the execution and the command. Everything is synchronous and
// repeatable.
import type { SchemaDef } from '../model/audit-fields.js';
import type { DefinitionSnapshot, Execution, Task } from '../model/execution.js';
import type { ChangeEvent } from '../model/status-event.js';
import type { ValueLimits } from '../model/value-limits.js';
import type { TaskDef } from '../model/task-def.js';
import type { RateLimitConfig, WorkflowDef } from '../model/workflow-def.js';
import type { Readers } from './readers.js';
import type { TaskMocks } from './task-mocks.js';
import type { ServerTaskType } from './server-task-type.js';

export interface EngineContext {
  /** Store time as the node estimates it, epoch ms; read once per step. */
  readonly now: number;
  readonly definitions: DefinitionLookup;
  readonly limits: EngineLimits;
  /**
   * First domain of the list that workers poll, else the last entry (semantics 5.6); undefined =
   * none.
   */
  readonly activeDomain: (taskType: string, domains: readonly string[]) => string | undefined;
  /** Types that the server runs itself because they do I/O (system-task folder), by name. */
  readonly serverTaskTypes: ReadonlyMap<string, ServerTaskType>;
  /** Value of `${NAME}`; undefined when it is unknown or may not be read. */
  readonly environment: (name: string) => string | undefined;
  /** Value of `${workflow.env.NAME}`; undefined when unknown. */
  readonly environmentVariable: (name: string) => string | undefined;
  /** Whether who started an execution may read that variable now. */
  readonly mayReadVariable: (name: string, startedBy: string | undefined) => boolean;
  /** undefined: there are no secrets. */
  readonly secrets: SecretRules | undefined;
  readonly schemas: SchemaRules;
  /** undefined: every form may be read. */
  readonly forms?: FormRules;
  /** undefined: everybody may use every task definition. */
  readonly taskUse?: TaskUseRules | undefined;
  /**
   * How many executions of a workflow may run at the same time, as it was set beside its
   * definition; absent: nothing is.
   */
  readonly executionLimit?: (workflowName: string) => RateLimitConfig | undefined;
  /**
   * Why an execution with so many open tasks may not have `more` now (a quota of who started it or
   * of its definition); undefined: it may. Absent: there is no quota.
   */
  readonly refuseFork?: (
    startedBy: string | undefined,
    workflowName: string,
    tasks: { readonly open: number; readonly more: number },
  ) => string | undefined;
  /** Absent: no mock stands for any task; only a test server has them. */
  readonly mocks?: TaskMocks | undefined;
  /** Absent: nobody listens to changes of status. */
  readonly listeners?: StatusListeners;
}

/** The parts of an execution that decide which listeners are told of it. */
export type Told = Pick<Execution, 'snapshot' | 'attributes' | 'state'>;

/** The status listeners, as this node knows them now. */
export interface StatusListeners {
  /** Nobody listens to anything but what definitions say themselves. */
  readonly isEmpty: boolean;
  /** Receivers of the event; `task`: the one that it is about. */
  of(event: ChangeEvent, execution: Told, task: Task | undefined): readonly Receiver[];
}

/** A sink as an EVENT task names it, or an outgoing webhook in place of one. */
export interface Receiver {
  readonly sink: string;
  readonly webhookId?: string;
}

/** Checks payloads against the schemas of definitions. */
export interface SchemaRules {
  /**
   * Why the registered schema of that name may not be read for any of the readers; undefined: it
   * may, or the definition brings a schema of its own along, which is checked then.
   */
  refusal(schema: SchemaDef, readers: Readers): string | undefined;
  /**
   * A sentence about the first violation in the JSON text; undefined: none, or nothing is checked
   * here. Throws AppError 'unavailable' while too many schemas are read at once.
   */
  violation(schema: SchemaDef, text: string, readers: Readers): string | undefined;
  /**
   * The part of a step that a check by the schema takes, up to 1 where it has to be read first:
   * behind it other executions get their turn. Absent: checks take no time.
   */
  partOfStep?(schema: SchemaDef, readers: Readers): number;
  /**
   * Reads the schemas of a definition before an execution starts, in the turn of who starts it;
   * undefined: all are read. Absent: as above.
   */
  prepare?(snapshot: DefinitionSnapshot, startedBy: string): Promise<void> | undefined;
}

/** User forms that HUMAN tasks name. */
export interface FormRules {
  /** Why the form may not be read for any of the readers; undefined: it may, or nobody saved it. */
  refusal(name: string, readers: Readers): string | undefined;
}

/** Which task definitions not everybody may use in a workflow. */
export interface TaskUseRules {
  isRestricted(name: string): boolean;
  /** `subject`: who started the execution, or saved its definition. */
  mayUse(subject: string | undefined, name: string): boolean;
}

/** The rules about secrets that the engine may read. */
export interface SecretRules {
  /** Whether there is any. */
  readonly any: boolean;
  /** A secret that `text` names and that the starter of the execution may not read. */
  unreadable(text: string, startedBy: string | undefined): string | undefined;
  /** One of these names that no secret has; undefined as well where the settings keep null. */
  unknown(names: readonly string[]): string | undefined;
  /** Why the starter does not get a value that `runtimeMetadata` names; undefined: he does. */
  withheld(name: string, startedBy: string | undefined): 'unknown' | 'unreadable' | undefined;
  /** Texts of the secrets of these names that must not be shown. */
  textsOf(names: Iterable<string>): readonly string[];
}

/**
 * Registered definitions as the node knows them now. A step copies the values that it takes from
 * here into the execution's state.
 */
export interface DefinitionLookup {
  taskDef(name: string): TaskDef | undefined;
  /** Latest version when `version` is absent or 0. */
  workflowDef(name: string, version?: number): WorkflowDef | undefined;
}

export interface EngineLimits extends ValueLimits {
  /** Task records per execution (invariants S18); one more ends the execution as FAILED. */
  tasksPerExecutionMax: number;
  /**
   * Inputs and outputs of all tasks together, bytes of JSON, roughly; a task beyond them ends the
   * execution as FAILED.
   */
  executionBytesMax: number;
  /** Depth of sub-workflows. */
  childDepthMax: number;
  /** Agenda items per step before `continue`. */
  itemsPerStepMax: number;
  /** Bytes of JSON text of `variables` (semantics 4.14). */
  variablesBytesMax: number;
  taskPayloadBytesMax: number;
  workflowPayloadBytesMax: number;
  messagesMax: number;
  /** Entries of an execution's history; the oldest go. */
  historyEntriesMax: number;
  /** Objects inside a longer text as JSON (decided difference) or in Java form. */
  objectsInText: 'json' | 'java';
}
