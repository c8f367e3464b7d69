// One run of `npm run attack` against a server with authentication: what a victim owns is planted
// with canaries, callers of six kinds try everything that the server offers, and afterwards no
// answer may have held a canary and nothing of the victim's may have changed.
//
// What is tried comes from lists (list.ts), which are made from what the server itself declares: an
// endpoint or a task type that is added later is attacked without anybody remembering it.
import { SecuredServer } from '../../testkit/secured-server.js';
import { createCallers, type Caller } from './callers.js';
import { attackLists } from './list.js';
import type { AttackName } from './names.js';
import { Victim } from './victim.js';

export interface AttackOptions {
  /** HTTP library of the server. */
  readonly httpServer: 'uws' | 'node';
  /** The form that a test has time for: fewer bodies, and one check of the state per caller. */
  readonly isShort: boolean;
  /** The state is looked at after every route, to know which one changed it. */
  readonly looksOften?: boolean;
  /** Names of lists; all when empty. */
  readonly only?: readonly string[];
  readonly say?: (text: string) => void;
}

export interface AttackTarget {
  readonly server: SecuredServer;
  readonly victim: Victim;
  readonly callers: readonly Caller[];
  readonly isShort: boolean;
  readonly looksOften: boolean;
  /** Counts what was tried. */
  readonly tried: (count?: number) => void;
  /** Tells what was measured. */
  readonly say: (text: string) => void;
}

/** A list of attacks of one kind; one sentence per finding. */
export interface AttackList {
  readonly name: AttackName;
  readonly run: (target: AttackTarget) => Promise<string[]>;
}

export interface AttackReport {
  readonly findings: readonly string[];
  /** Attacks tried, by list. */
  readonly tried: ReadonlyMap<string, number>;
}

export async function runAttack(options: AttackOptions): Promise<AttackReport> {
  const { httpServer, isShort, only = [], say = () => undefined } = options;
  const looksOften = options.looksOften ?? !isShort;
  const findings: string[] = [];
  const tried = new Map<string, number>();
  for (const { name, run } of attackLists) {
    if (only.length > 0 && !only.includes(name)) continue;
    // A server of its own: what one list breaks spoils nothing for the next one.
    const server = await SecuredServer.start({ args: ['--http-server', httpServer] });
    try {
      const victim = await Victim.plant(server);
      const callers = await createCallers(server);
      const count = (more = 1): void => void tried.set(name, (tried.get(name) ?? 0) + more);
      const found = await run({
        ...{ server, victim, callers, isShort, looksOften },
        tried: count,
        say: (text) => say(`  ${text}`),
      });
      findings.push(...found.map((text) => `${name} on ${httpServer}: ${text}`));
      say(`${name} on ${httpServer}: ${tried.get(name) ?? 0} attacks, ${found.length} findings`);
    } finally {
      await server.stop();
    }
  }
  return { findings, tried };
}
