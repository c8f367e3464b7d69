// place-given: another execution has ended, and this one may begin (contract-admin 9.7).
import { takeUpPlace } from '../permits.js';
import { ok, type CommandHandler } from './contract.js';

export const placeGiven: CommandHandler<'place-given'> = (t, { room }) => {
  if (t.execution.state.room?.room === room) takeUpPlace(t);
  return ok;
};
