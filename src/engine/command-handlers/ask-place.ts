// ask-place: a new owner asks once more for the place that its execution has or waits for
// (contract-admin 9.7). A room that knows it already answers the same.
import { askAgain } from '../permits.js';
import { ok, type CommandHandler } from './contract.js';

export const askPlace: CommandHandler<'ask-place'> = (t) => {
  askAgain(t);
  return ok;
};
