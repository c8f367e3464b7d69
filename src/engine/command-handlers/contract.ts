// A command handler carries out a command: it makes the part of the change that happens at once and
// puts what follows from it on the agenda, which run-agenda.ts works off. One file per command
// (some share one) and one entry in list.ts.
import type { Command } from '../command.js';
import type { Reply } from '../decision.js';
import type { Transition } from '../transition.js';

export type CommandOf<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>;

/**
 * The reply is given to the caller when the transition has settled. `undefined`: the command goes
 * on with an earlier one, whose reply is still owed.
 */
export type CommandHandler<Kind extends Command['kind']> = (
  t: Transition,
  command: CommandOf<Kind>,
) => Reply | undefined;

export const ok: Reply = { kind: 'ok' };
