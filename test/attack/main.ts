// The long form of the attacks (`npm run attack -- --help`).
import { readOptions } from '../../bin/lib/options.mjs';
import { runAttack, type AttackOptions } from './attack.js';
import { attackLists } from './list.js';

const values = readOptions({
  command: 'npm run attack --',
  about:
    'Attacks a server with everything that it offers, as callers of six kinds, against what another ' +
    `one owns. Lists: ${attackLists.map(({ name, about }) => `${name} (${about})`).join('; ')}.`,
  options: {
    only: {
      type: 'string',
      default: '',
      about: `the lists to run, with commas between them; all: ${attackLists.map(({ name }) => name).join(',')}`,
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
const only = values.only === '' ? [] : values.only.split(',');
const unknown = only.filter((name) => !attackLists.some((list) => list.name === name));
if (unknown.length > 0) {
  console.error(`There is no list ${unknown.join(', ')}: --help names them.`);
  process.exit(2);
}
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
