// The engine (architecture section 1.1): one command leads an execution from one state to the next.
// Deterministic and synchronous; the execution is changed in place, `Decision` says what changed
// and what is to leave the process.
//
// A command may need several steps: one step works off at most `limits.itemsPerStepMax` agenda
// items, and a script parks the transition. `decision.next` then says what it needs, and
// `stepToRest` goes on with it. `open.isBusy` tells; until then no other command may be stepped,
// and the reply of the command that began it comes with the step that settles it. Only terminate,
// abandon and pause (`isInterrupt`) may interrupt it: the first two drop what is left to do, pause
// leaves it to the resume, which derives it again from the records. The caller then takes
// `open.pendingReply` for the command before.
import assert from 'node:assert/strict';
import type { Command } from './command.js';
import type { EngineContext } from './context.js';
import type { Decision, Next, Reply } from './decision.js';
import type { OpenExecution } from './open-execution.js';
import { runAgenda } from './run-agenda.js';
import { Transition } from './transition.js';
import { ok, type CommandHandler } from './command-handlers/contract.js';
import { replyOfImported } from './command-handlers/import-ended.js';
import { commandHandlers } from './command-handlers/list.js';
import { taskTypeOf } from './task-types/list.js';

export function step(open: OpenExecution, command: Command, context: EngineContext): Decision {
  assertStepAllowed(open, command);
  if (isInterrupt(command)) unpark(open);
  const t = new Transition(open, context);
  const settled = replyOfImported(open.execution, command) ?? replyOfRepeated(t, command);
  if (settled !== undefined) return { changes: t.changes, outputs: t.outputs, reply: settled };
  const handler = commandHandlers[command.kind] as CommandHandler<Command['kind']> | undefined;
  assert(handler !== undefined, `No handler carries out ${command.kind}`);
  const reply = handler(t, command);
  if (reply?.kind === 'refused') return { changes: t.changes, outputs: t.outputs, reply };
  if (reply !== undefined) open.pendingReply = reply;
  t.flushFirst();
  runAgenda(t);
  return conclude(t);
}

/** The reply to a control that has set the execution going before; undefined: it has not. */
function replyOfRepeated({ execution }: Transition, command: Command): Reply | undefined {
  const wanted = 'generation' in command ? command.generation : undefined;
  return wanted === undefined || wanted === execution.state.generation ? undefined : ok;
}

/** The code that drives a transition of several steps. */
export interface StepDriver {
  /** The world as the next step sees it. */
  readonly context: EngineContext;
  /** A step has been taken. */
  decided(decision: Decision, command: Command): void;
  /** The command that goes on, undefined when it comes later: then call `stepToRest` with it. */
  proceed(next: Next): Command | undefined;
}

/** Steps until the transition is at rest; undefined when it waits for a later command. */
export function stepToRest(
  open: OpenExecution,
  first: Command,
  driver: StepDriver,
): Reply | undefined {
  for (let command: Command | undefined = first; command !== undefined;) {
    const decision: Decision = step(open, command, driver.context);
    driver.decided(decision, command);
    if (decision.reply !== undefined) return decision.reply;
    command = driver.proceed(decision.next);
  }
  return undefined;
}

/** Commands that may be stepped in the middle of a transition. */
export function isInterrupt({ kind }: Command): boolean {
  return kind === 'terminate' || kind === 'pause' || kind === 'abandon';
}

/** The item that asked for the script stands on the agenda again; a late answer is dropped. */
function unpark(open: OpenExecution): void {
  open.parked = undefined;
  open.answer = undefined;
}

function assertStepAllowed(open: OpenExecution, command: Command): void {
  if (command.kind === 'evaluated' || isInterrupt(command)) return;
  assert(open.parked === undefined, `Parked on a script: ${command.kind} may not be stepped`);
  if (command.kind === 'continue') return;
  assert(!open.isBusy, `A transition is under way: ${command.kind} may not be stepped`);
}

function conclude(t: Transition): Decision {
  for (const task of t.closed) taskTypeOf(task).closed(t, task);
  const { open, changes, outputs } = t;
  const { state } = t.execution;
  const busy = open.isBusy;
  if (state.unsettled !== busy && (busy || !changes.isEmpty || state.unsettled)) {
    state.unsettled = busy;
    changes.state = true;
  }
  if (!changes.isEmpty) {
    if (t.execution.attributes.imported === undefined) state.updateTime = t.now;
    changes.state = true;
  }
  if (!busy) {
    open.isFirstPass = false;
    return { changes, outputs, reply: takeReply(open) };
  }
  if (open.parked === undefined) return { changes, outputs, next: { kind: 'continue' } };
  return { changes, outputs, next: t.asked ?? { kind: 'wait' } };
}

function takeReply(open: OpenExecution): Reply {
  const reply = open.pendingReply ?? ok;
  open.pendingReply = undefined;
  return reply;
}
