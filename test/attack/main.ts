// The long form of the attacks (`npm run attack -- --help`).
import { readOptions } from '../../bin/lib/options.mjs';
import { runAttack, type AttackOptions } from './attack.js';
import { attackNames } from './names.js';

const values = readOptions({
  command: 'npm run attack --',
  about:
    'Attacks a server with everything that it offers, as callers of six kinds, against what another one owns. Lists: ' +
    'routes (every route as every kind of caller, with names and ids of another); ' +
    'task-types (every task type, started by every kind of caller, with names and ids of another); ' +
    'raw-http (requests as bytes, which servers and proxies could read differently); ' +
    'floods (what one caller does to take the node from all others, and what those get meanwhile).',
  options: {
    only: {
      type: 'string',
      someOf: attackNames,
      about: 'the lists to run; without it all',
    },
    'http-server': {
      type: 'string',
      oneOf: ['both', 'uws', 'node'],
      default: 'both',
      about: 'HTTP libraries of the server, one after the other',
    },
    each: { type: 'boolean', about: 'with --short: says which route changed something' },
    short: { type: 'boolean', about: 'fewer requests: the form that CI runs' },
  },
});
const asked = values['http-server'] as 'both' | AttackOptions['httpServer'];
const only = values.only?.split(',') ?? [];
const often = values.each ? { looksOften: true } : {};
let findings = 0;
for (const httpServer of asked === 'both' ? (['uws', 'node'] as const) : [asked]) {
  const report = await runAttack({
    httpServer,
    isShort: values.short,
    only,
    say: console.log,
    ...often,
  });
  for (const text of report.findings) console.log(`  ${text}`);
  findings += report.findings.length;
}
console.log(`${findings} findings`);
process.exitCode = findings === 0 ? 0 : 1;
