// The contract of a task type (semantics 4): everything that the engine has to know of a type
// stands in the one object that the type's file exports, and list.ts names the file. No other file
// has to be changed for a new type. Every member is required, so that the compiler names what a new
// type has forgotten; constructors.ts builds a type from what it has of its own to say.
//
// A type makes records, carries them out and says what follows. It never schedules another task
// itself: it names nodes, and the engine schedules them.
//
// Types that do I/O are declared by the system-task folder in the short form `ServerTaskType`; the
// engine gives all of them the behaviour of server-task.ts.
import type { Task } from '../../model/execution.js';
import type { JsonMap } from '../../model/json.js';
import type { Payload } from '../../model/payload.js';
import type { WorkflowTask } from '../../model/workflow-def.js';
import type { CompileList, FlowRole, GraphNode } from '../compile.js';
import type { DerivedOutput, OpenExecution } from '../open-execution.js';
import type { Reach } from '../reaches.js';
import type { ConfigurationCheck } from '../server-task-type.js';
import type { ExecutionState, Transition } from '../transition.js';
import type { WaitReason } from '../wait-reason.js';

/** Where a configuration is to get a record. */
export interface Site {
  readonly node: GraphNode;
  /** As the record will show it: the node's, or with the name a DYNAMIC resolved. */
  readonly config: WorkflowTask;
  /** With the suffix of the iteration. */
  readonly ref: string;
  readonly iteration: number;
}

export interface TaskType {
  /**
   * Types of configurations that this file is for. Records of the same type belong to it as well;
   * those of both forks have the type FORK.
   */
  readonly names: readonly string[];
  readonly reaches: readonly Reach[];
  /** A worker that polls, the engine inside a transition, or the server because it does I/O. */
  readonly carriedOutBy: 'worker' | 'engine' | 'server';
  /**
   * How a record is carried out whose notes give it to the server; undefined: as any type of the
   * system-task folder.
   */
  readonly runByServer: TaskType | undefined;
  /**
   * The type of the system-task folder whose run enters a record of this type where the outside
   * finds it, however that run ends; undefined: that of the record's own name.
   */
  readonly enteredAs: string | undefined;
  /**
   * The role by which the control operations and the repair of a flow treat it; usually `plain`.
   */
  readonly role: FlowRole;

  // Of the definition

  /** Checks a configuration when its definition is registered. */
  readonly check: ConfigurationCheck;
  /** Compiles the lists of configurations inside one into the branches or cases of its node. */
  nest(node: GraphNode, compile: CompileList): void;

  // The life of a record

  /**
   * Makes the record of a configuration and starts it. Whatever cannot be mapped ends the execution
   * (semantics 2.6); then there is no record.
   */
  map(t: Transition, site: Site): void;
  /** The evaluated input of a new record, where a mock stands for it. Throws ExpressionRefusal. */
  inputOf(t: Transition, site: Site): Payload;
  /**
   * Carries out a record that is SCHEDULED again: a new attempt, or one reset in place by a control
   * operation.
   */
  begin(t: Transition, task: Task): void;
  /**
   * Runs the record inside the transition, or looks again at what it waits for. May park on a
   * script before it changes anything.
   */
  execute(t: Transition, task: Task): ExecutionState;
  /**
   * Whether an open record is to be executed now. Asked when the record starts and when an
   * execution is loaded; a type that waits for other tasks registers here
   * (`OpenExecution.waitFor`).
   */
  isDue(open: OpenExecution, task: Task): boolean;
  /** Starts a record whose delay is over (`runAt` in the notes). */
  startDelayed(t: Transition, task: Task): void;
  /** The node after the consumed record: usually the next one. */
  successor(t: Transition, task: Task, node: GraphNode): GraphNode | undefined;
  /**
   * Consumes the terminal record in its own way instead of the rule of semantics 2.3.6; true when
   * it did.
   */
  settle(t: Transition, task: Task): boolean;
  /** Takes back what runs elsewhere when the record is cancelled with its execution. */
  cancel(t: Transition, task: Task): void;
  /** Whether `closed` is to be called. */
  readonly isFollowed: boolean;
  /** In this step the record has got a terminal status, by any way, or was removed. */
  closed(t: Transition, task: Task): void;

  // Moves of an open record

  /** References, with their suffix, of the records that have to end first. */
  waitsFor(task: Task): readonly string[];
  /** When the type itself acts on an open record, epoch ms; 0 = never. */
  timerAt(task: Task): number;
  /** The moment `timerAt` has come. */
  timerFired(t: Transition, task: Task): void;
  /** Whether the engine ends the record when the definition's response timeout is over. */
  readonly hasResponseTimeout: boolean;
  /** Called for an open record while its execution is PAUSED. */
  whilePaused(t: Transition, task: Task): void;
  /** A caller has reported IN_PROGRESS about an open record. */
  progressReported(t: Transition, task: Task): void;
  /** Whether a signal to the execution may end the record (semantics 1.7). */
  readonly takesSignals: boolean;
  /** Whether a message to the execution makes it due (semantics 1.8). */
  readonly takesMessages: boolean;
  /** Whether synchronous callers get their answer while this open record waits (semantics 1.7). */
  blocksCallers(task: Task): boolean;
  /** Whether only somebody outside the engine can end this open record (workflow tests, 1.7). */
  waitsForOutside(task: Task): boolean;

  // Schemas

  /** Whether the schemas of its definition are checked (semantics 3.9). */
  readonly hasSchemas: boolean;

  // Again

  readonly retry: RetryRule;
  readonly rerun: RerunRule;

  // Shown to readers

  /** The input that readers see, when it is more than what is stored (derived-payloads.ts). */
  readonly derivedInput: ((task: Task) => Payload) | undefined;
  /** The output of a record marked `derived`, which is not stored (derived-payloads.ts). */
  readonly derivedOutput: DerivedOutput | undefined;
  /** The reason why an open record waits, and the event that would move it. */
  whyWaits(open: OpenExecution, task: Task, now: number): WaitReason;
}

/** The effect of an automatic and of a manual retry (semantics 2.7.1, 1.5.6). */
export interface RetryRule {
  /** Whether the retry rule of the definition applies to a failed record. */
  readonly isAutomatic: boolean;
  /**
   * The effect of a manual retry on a record that failed: a new attempt, or the same record goes on
   * where it stood.
   */
  readonly failed: 'new-attempt' | 'go-on';
  /** The same for a record that was cancelled. */
  readonly cancelled: 'new-attempt' | 'go-on';
  /** Input of a new attempt. */
  input(t: Transition, task: Task): Payload;
}

/** The effect of a rerun from a record on this record (semantics 1.5.7). */
export interface RerunRule {
  /**
   * The input of the second run when the caller gives none: what the record had, or the parameters
   * evaluated again, alone or merged with the definition's input template (semantics 3.8).
   */
  readonly input: 'kept' | 'parameters' | 'parameters-and-template';
  /** Why the caller may not give this input; undefined when nothing speaks against it. */
  refuseInput(input: JsonMap, taskId: string, now: number): string | undefined;
  /** Follows when the record has been reset and has its input. */
  renew(t: Transition, task: Task): void;
}
