// human-action: somebody does something with a human task (contract-admin 10.4). Completing one
// moves its execution in the same commit.
import { AppError } from '../../model/errors.js';
import { isMap } from '../../model/json.js';
import { isSameUser } from '../../model/human/human-definition.js';
import {
  claim,
  reassign,
  release,
  skip,
  touched,
  type HumanProcess,
  type Move,
  type MoveBy,
} from '../../model/human/human-process.js';
import type { Task } from '../../model/execution.js';
import { Payload } from '../../model/payload.js';
import { isTerminalTask } from '../../model/status.js';
import type { HumanAction, HumanStanding } from '../command.js';
import { taskPart, type Reply } from '../decision.js';
import { outputOf } from '../derived-payloads.js';
import { applyMove, moveBy, processOf, setProcess, tellIndex } from '../human-tasks.js';
import { excessOfPayload } from '../mapping.js';
import { endTask } from '../records.js';
import { enteredWithoutSecrets } from '../secret-rules.js';
import type { Transition } from '../transition.js';
import { ok, type CommandHandler } from './contract.js';

export const humanAction: CommandHandler<'human-action'> = (t, command) => {
  const task = t.open.byNumber.get(command.taskNumber);
  const process = task === undefined ? undefined : processOf(task);
  if (task === undefined || process === undefined || process.isDeleted === true) {
    return refuse('There is no such human task');
  }
  const { action, actedBy } = command;
  if (action.kind === 'delete') {
    setProcess(t, task, { ...process, isDeleted: true });
    tellIndex(t, task);
    return ok;
  }
  if (isTerminalTask(task.status)) return refuse(`The human task has ended (${task.status})`);
  const { standing } = command;
  if (standing !== undefined && !stands(process, standing)) {
    return refuse(`The human task has another ${standing.as} by now`, 'forbidden');
  }
  const by = moveBy(t, task, actedBy);
  if (action.kind === 'update') return update(t, task, action, { process, by });
  const move = moveOf(process, action, by);
  if (move.kind === 'refused') return refuse(move.why);
  applyMove(t, task, move);
  return ok;
};

function stands(process: HumanProcess, { as, user, claimedBy }: HumanStanding): boolean {
  if (!isSameUser(process[as], user)) return false;
  // A node of an earlier version does not tell it.
  return as === 'assignee' || claimedBy === undefined || process.claimedBy === claimedBy;
}

function moveOf(
  process: HumanProcess,
  action: Exclude<HumanAction, { kind: 'update' | 'delete' }>,
  by: MoveBy,
): Move {
  switch (action.kind) {
    case 'claim':
      return claim(process, action, by);
    case 'release':
      return release(process, by);
    case 'skip':
      return skip(process, action.reason, by);
    case 'reassign':
      return reassign(process, action.assignments, by);
  }
}

function update(
  t: Transition,
  task: Task,
  action: Extract<HumanAction, { kind: 'update' }>,
  { process, by }: { process: HumanProcess; by: MoveBy },
): Reply {
  const before = action.isWhole === true ? {} : outputOf(t.open, task).value;
  const entered = enteredWithoutSecrets(t, task, action.output);
  const output = Payload.of({ ...(isMap(before) ? before : {}), ...entered });
  const { limits } = t.context;
  const excess = excessOfPayload(output, limits.taskPayloadBytesMax, limits);
  if (excess !== undefined) return refuse(`The output of the task is ${excess}`);
  setProcess(t, task, touched(process, action.complete ? 'COMPLETE' : 'UPDATE', by));
  if (action.complete) {
    endTask(t, task, { status: 'COMPLETED', output });
    return ok;
  }
  task.output = output;
  task.updateAt = t.now;
  t.touch(task, taskPart.record | taskPart.output);
  tellIndex(t, task);
  return ok;
}

function refuse(message: string, kind: 'bad-request' | 'forbidden' = 'bad-request'): Reply {
  return { kind: 'refused', error: new AppError(kind, message) };
}
