// The floods as a programme: `node bin/tool.mjs test/attack/measure-floods [--short] [--only
// forks]` prints what others get beside each of them.
import { loadavg } from 'node:os';
import { readOptions } from '../../bin/lib/options.mjs';
import { FloodMeter, type FloodResult } from './flood-meter.js';
import { floods } from './floods.js';
import type { Waits } from './neighbour.js';

function describeWaits(waits: Waits): string {
  const failed = waits.failed > 0 ? `, ${waits.failed} FAILED` : '';
  const { work: used, served } = waits;
  const work = `work p50 ${used.p50} p99 ${used.p99}, served p50 ${served.p50} p99 ${served.p99}`;
  return `p50 ${waits.p50} p99 ${waits.p99} max ${waits.max} ms, ${work} ms (${waits.count}${failed})`;
}

function describe(result: FloodResult): string {
  const lines = [`${result.flood}   load ${loadavg()[0]?.toFixed(1)}`];
  for (const kind of ['reads', 'starts', 'scripts'] as const) {
    const { before, beside, after } = result;
    const quietOf = ({ p99, work, served }: Waits): string =>
      `p99 ${p99}, work ${work.p99}, served ${served.p99}`;
    const quiet = `${quietOf(before[kind])} before; ${quietOf(after[kind])} after`;
    lines.push(`  ${kind.padEnd(8)} ${describeWaits(beside[kind])}; without: ${quiet}`);
  }
  const controls = result.controls.map((ms) => ms.toFixed(0)).join(', ') || 'none';
  const { node, main, redis } = result.cpu;
  lines.push(`  controls ${controls} ms`);
  lines.push(`  the flood: ${JSON.stringify(result.counts)}`);
  const shares = `node ${node.toFixed(2)} (main ${main.toFixed(2)}), redis ${redis.toFixed(2)}`;
  lines.push(`  processors: ${shares}`);
  return lines.join('\n');
}

async function main(): Promise<void> {
  const options = readOptions({
    command: 'node bin/tool.mjs test/attack/measure-floods',
    about: 'Measures what others get beside each flood.',
    options: {
      short: { type: 'boolean', about: 'four seconds of each flood' },
      seconds: { type: 'integer', default: 10, about: 'of each flood' },
      only: { type: 'string', default: '', about: 'names of floods, with commas between' },
      'http-server': {
        type: 'string',
        oneOf: ['uws', 'node'],
        default: 'uws',
        about: 'HTTP library of the server',
      },
      profile: {
        type: 'string',
        default: '',
        about: 'folder for profiles of the processor, one of the node for each flood',
      },
    },
  });
  const seconds = options.short ? 4 : options.seconds;
  const chosen = options.only === '' ? undefined : options.only.split(',');
  for (const flood of floods.filter(({ name }) => chosen?.includes(name) ?? true)) {
    // A server for each: what a flood leaves behind is not the next one's.
    const meter = await FloodMeter.start({
      httpServer: options['http-server'] as 'uws' | 'node',
      ...(options.profile === '' ? {} : { profileFolder: `${options.profile}/${flood.name}` }),
    });
    try {
      process.stdout.write(`${describe(await meter.measure(flood, seconds))}\n`);
    } finally {
      await meter.stop();
    }
  }
}

await main();
