// What a verb is: the part of a command that changes the execution at once. What follows from it is
// on the agenda, and the hub works that off. One file per verb (some share one), one entry in
// list.ts.
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
