// The workload that all peers run: chains of five steps by workers, on this server and on others of
// the field, each with a Redis that syncs every write, where it uses one. Each step gets the output
// of the one before.
import os from 'node:os';
import path from 'node:path';

export interface PeerLoad {
  readonly executions: number;
  /** Executions that are open at a time; 1: one step after the other, with nothing else to do. */
  readonly window: number;
}

export interface PeerRun {
  readonly tasks: number;
  readonly elapsedMs: number;
  /** Processor time of everything for each task, us: server, Redis, and what calls them. */
  readonly serverUs: number;
  readonly redisUs: number;
  readonly clientUs: number;
  /** Sentences about wrong results. */
  readonly wrong: readonly string[];
}

export interface Peer {
  readonly name: string;
  /** The settings that differ from its defaults, and the page that advises them. */
  readonly settings: string;
  run(load: PeerLoad): Promise<PeerRun>;
  stop(): Promise<void>;
}

/** Where peers are installed: never in this repository. */
export const peersFolder = path.join(os.homedir(), '.cache', 'downbeat', 'peers');

export const steps = 5;
