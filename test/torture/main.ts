// The long form of the torture test: `npm run torture -- [--kills 200] [--seed N] [--in-flight 0.6]
// [--victims node,redis,both] [--evidence DIR]`. Exits with 1 on any violation.
import { parseArgs } from 'node:util';
import type { KillRecord } from './journal.js';
import { describeTorture, runTorture } from './torture.js';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string' },
    'in-flight': { type: 'string', default: '0.6' },
    open: { type: 'string', default: '80' },
    victims: { type: 'string', default: 'node,redis,both' },
    evidence: { type: 'string' },
  },
});

const options = {
  kills: Number(values.kills),
  seed: Number(values.seed ?? Date.now() % 1_000_000),
  inFlightShare: Number(values['in-flight']),
  openMax: Number(values.open),
  victims: values.victims.split(',') as KillRecord['victim'][],
  ...(values.evidence === undefined ? {} : { evidenceDir: values.evidence }),
  say: (text: string) => void process.stdout.write(`${text}\n`),
};
options.say(`seed ${options.seed}`);
const report = await runTorture(options);
options.say(describeTorture(options, report));
process.exitCode = report.violations.length === 0 ? 0 : 1;
