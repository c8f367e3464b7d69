// Rough sizes in memory, for the bounds on executions and on payloads that wait for their commit.
// Exact figures would cost more than they are worth: the bounds are far from what a process can
// bear.
import type { Command } from '../engine/command.js';
import type { ExecutionActor } from './execution-actor.js';

const bytesPerExecution = 3000;
const bytesPerTask = 1500;

/** Bytes that an execution takes in memory. */
export function roughBytes(actor: ExecutionActor): number {
  const { execution } = actor.open;
  const { weight } = actor.open;
  const bytes = bytesPerExecution + execution.tasks.length * bytesPerTask;
  return bytes + 2 * (weight.chars + execution.input.size);
}

/** Bytes of the payload that a command brings. */
export function commandBytes(command: Command): number {
  switch (command.kind) {
    case 'update-task':
      return command.result.output.size;
    case 'signal':
      return command.output.size;
    default:
      return 0;
  }
}
