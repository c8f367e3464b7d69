// How many nodes one start runs (setting `processes`), and what does not go together with several.
import { availableParallelism } from 'node:os';
import { SettingError } from '../../settings/setting.js';

const processesMax = 64;

interface CountSettings {
  readonly processes: string;
  readonly redisUrl: string;
  readonly port: number;
  readonly peerPort: number;
  readonly peerAddress: string;
}

/** `auto` leaves one core to the private Redis. */
export function processesOf(
  { processes, redisUrl }: Pick<CountSettings, 'processes' | 'redisUrl'>,
  cores = availableParallelism(),
): number {
  if (processes !== 'auto') return Number(processes);
  const free = redisUrl === '' ? cores - 1 : cores;
  return Math.min(Math.max(free, 1), processesMax);
}

/** Throws SettingError. */
export function checkProcesses(settings: CountSettings): void {
  const { processes, port, peerPort, peerAddress } = settings;
  const isNumber = /^[1-9]\d?$/.test(processes) && Number(processes) <= processesMax;
  if (processes !== 'auto' && !isNumber) {
    throw new SettingError(
      `--processes must be auto or a whole number from 1 to ${processesMax}, not '${processes}'.`,
    );
  }
  if (processesOf(settings) === 1) return;
  if (port === 0) {
    throw new SettingError('--port 0 is for one process: name a port that all --processes share.');
  }
  if (peerPort !== 0 || peerAddress !== '') {
    throw new SettingError(
      '--peer-port and --peer-address are for one process: each of several --processes has an address of its own.',
    );
  }
}
