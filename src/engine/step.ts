// The engine (architecture section 1.1): one command leads an execution from one state to the next.
// Deterministic and synchronous; the execution is changed in place, `Decision` says what changed
// and what is to leave the process.
//
// A command may need several steps: at most `limits.itemsPerStepMax` agenda items are worked off in
// one (then comes an output `continue`, to be answered by the command of that name), and a script
// parks the transition (output `evaluate`, answered by `evaluated`). `open.isBusy` tells; until
// then no other command may be stepped, and the reply of the command that began it comes with the
// step that settles it. Only terminate and pause (`isInterrupt`) step in: the one drops what is
// left to do, the other leaves it to the resume, which derives it again from the records. Who lets
// them in takes `open.pendingReply` for the command before.
import assert from 'node:assert/strict';
import type { Command } from './command.js';
import type { EngineContext } from './context.js';
import type { Decision, Reply } from './decision.js';
import type { OpenExecution } from './open-execution.js';
import { runAgenda } from './run-agenda.js';
import { Transition } from './transition.js';
import { ok, type CommandHandler } from './command-handlers/contract.js';
import { verbs } from './command-handlers/list.js';

export function step(open: OpenExecution, command: Command, context: EngineContext): Decision {
  assertStepAllowed(open, command);
  if (isInterrupt(command)) unpark(open);
  const t = new Transition(open, context);
  const verb = verbs[command.kind] as CommandHandler<Command['kind']> | undefined;
  assert(verb !== undefined, `No verb carries out ${command.kind}`);
  const reply = verb(t, command);
  if (reply?.kind === 'refused') return { changes: t.changes, outputs: t.outputs, reply };
  if (reply !== undefined) open.pendingReply = reply;
  t.flushFirst();
  runAgenda(t);
  return conclude(t);
}

/** Commands that may be stepped in the middle of a transition. */
export function isInterrupt(command: Command): boolean {
  return command.kind === 'terminate' || command.kind === 'pause';
}

/** Whoever asked for the script stands on the agenda again; a late answer is dropped. */
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
  const { open, changes, outputs } = t;
  const { state } = t.execution;
  const busy = open.isBusy;
  if (state.unsettled !== busy && (busy || !changes.isEmpty || state.unsettled)) {
    state.unsettled = busy;
    changes.state = true;
  }
  if (!changes.isEmpty) {
    state.updateTime = t.now;
    changes.state = true;
  }
  if (!busy) {
    open.isFirstPass = false;
    return { changes, outputs, reply: takeReply(open) };
  }
  if (open.parked === undefined) t.emit({ kind: 'continue' });
  return { changes, outputs };
}

function takeReply(open: OpenExecution): Reply {
  const reply = open.pendingReply ?? ok;
  open.pendingReply = undefined;
  return reply;
}
