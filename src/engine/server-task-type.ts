// The engine's knowledge of a task type that the server runs because it does I/O: how its
// configurations are checked and how the input of a record is made. Everything else is the same for
// all of them (task-types/server-task.ts). The system-task folder declares the types.
import type { Json, JsonMap } from '../model/json.js';
import type { Payload } from '../model/payload.js';
import type { TaskDef } from '../model/task-def.js';
import type { Reach } from './reaches.js';
import type { WorkflowTask } from '../model/workflow-def.js';

export interface ServerTaskType {
  /** Type of the configurations and of the records. */
  readonly name: string;
  readonly reaches: readonly Reach[];
  /** Checks a configuration when its definition is registered. */
  readonly check: ConfigurationCheck;
  /** Makes the input of a new record. */
  input(source: InputSource, config: WorkflowTask): Payload;
  /**
   * Input parameters that the definition of every execution shows as if it had said them (semantics
   * 4.12, 4.16); undefined: none.
   */
  shownInput(config: WorkflowTask): JsonMap | undefined;
  /** Whether the limits of the task definition (response timeout, rates) stand in the record. */
  readonly hasLimits: boolean;
}

/** Evaluates what a configuration says against the execution as it is now. */
export interface InputSource {
  /** The parameters alone. */
  parameters(): Payload;
  /** The parameters merged with the input template of the task definition (semantics 3.8). */
  withTemplate(): Payload;
  /** Another field of the configuration; `name` tells it from others of the configuration. */
  evaluate(name: string, value: Json): Json;
}

/**
 * Gives the violated rules of a configuration as the texts that clients know (contract-core 6.4).
 */
export type ConfigurationCheck = (config: WorkflowTask, rules: CheckRules) => readonly string[];

/** The facts that checks use besides the configuration. */
export interface CheckRules {
  /** Checks syntax without running; the parser's message, undefined when the source parses. */
  checkSyntax(language: 'javascript' | 'jq', source: string): string | undefined;
  /** The registered definition whose input template may hold a required key. */
  taskDef(name: string): TaskDef | undefined;
}
