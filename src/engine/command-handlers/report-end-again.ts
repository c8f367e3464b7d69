// report-end-again: the order to start this execution has come a second time. A parent whose state
// a failover has undone may order a child that has already ended and told its end: nobody would
// tell it again (invariants I12). A parent that knows the end ignores it.
import { isTerminalWorkflow } from '../../model/status.js';
import { reportToParent } from '../ending.js';
import { ok, type CommandHandler } from './contract.js';

export const reportEndAgain: CommandHandler<'report-end-again'> = (t) => {
  const { state, outbox } = t.execution;
  const isUnderWay = [...outbox.values()].some(({ kind }) => kind === 'report-end');
  if (isTerminalWorkflow(state.status) && !isUnderWay) reportToParent(t);
  return ok;
};
