// The guards of a keyspace: settings that protect it only where every node has them, so that they
// stand in the keyspace (keyspace-protection.ts). A new one is an entry here, a member of the
// record of nodes (store/shard-store.ts) and a pair of commands (admin-command.ts).
import { calledAs } from '../../std/called-as.js';
import type { Member } from '../../store/shard-store.js';

export type GuardName = 'auth' | 'restrictTaskDefinitions';

export interface Guard {
  /** Of the setting, of its part in the keyspace's record, and of that in the record of a node. */
  readonly name: GuardName;
  /** As it is given to a node. */
  readonly flag: string;
  /** The aim of a keyspace with it: "every node …". */
  readonly aim: string;
  /** Whether a node that lives is known to be without it. */
  readonly lacks: (member: Member) => boolean;
  /** Told to a node without it that is refused. */
  readonly refused: string;
  /** Told where a node has turned it on. */
  readonly turnedOn: string;
}

export const guards: readonly Guard[] = [
  {
    name: 'auth',
    flag: '--auth',
    aim: 'asks for tokens',
    lacks: ({ auth }) => auth !== true,
    refused:
      'This keyspace asks for tokens, and this node would ask nobody. Start it with --auth. ' +
      `To let everybody do everything there, stop all nodes and call: ${calledAs.admin} unprotect auth, with the settings of the node.`,
    turnedOn: `from now on nodes of this keyspace ask for tokens: one without --auth is refused, until ${calledAs.admin} unprotect auth allows it`,
  },
  {
    name: 'restrictTaskDefinitions',
    flag: '--restrict-task-definitions',
    aim: 'restricts task definitions',
    // A node of a version before this was compared does not say; it may be replaced while it runs.
    lacks: ({ restrictTaskDefinitions }) => restrictTaskDefinitions === false,
    refused:
      'This keyspace restricts every task definition, and this node would restrict those only that say so. Start it with --restrict-task-definitions. ' +
      `To restrict only those there, stop all nodes and call: ${calledAs.admin} unprotect task-definitions, with the settings of the node.`,
    turnedOn: `from now on nodes of this keyspace restrict every task definition: one without --restrict-task-definitions is refused, until ${calledAs.admin} unprotect task-definitions allows it`,
  },
];
