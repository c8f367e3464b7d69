// Processor time of a server and of its Redis: unlike the clock it says the same on a busy machine.
import fs from 'node:fs';
import type { RunningServer } from '../testkit/server.js';

export interface ProcessorTime {
  /** Of the node, all threads, ms. */
  readonly node: number;
  /** Of its main thread, ms. */
  readonly main: number;
  readonly redis: number;
}

export function processorTime({ pid, redisPid }: RunningServer): ProcessorTime {
  return {
    node: cpuMs(`/proc/${pid}/stat`),
    main: cpuMs(`/proc/${pid}/task/${pid}/stat`),
    redis: redisPid === undefined ? 0 : cpuMs(`/proc/${redisPid}/stat`),
  };
}

/** Milliseconds of processor time that a process or thread has used. */
function cpuMs(file: string): number {
  const fields = fs.readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
