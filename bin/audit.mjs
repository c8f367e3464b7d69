// `npm run audit`: asks the registry for known weaknesses of the packages that run in the server,
// its plug-ins and its command, as the lock file has them. Exit code 1: there are some; 2: the
// registry did not answer the question, so nobody knows. Weaknesses of what only develops or tests
// are listed and do not count.
import { spawnSync } from 'node:child_process';
import { shippedPlaces } from './lib/bundled-packages.mjs';
import { readLock } from './lib/locked-packages.mjs';
import { readOptions } from './lib/options.mjs';
import { projectRoot } from './lib/run.mjs';

readOptions({
  command: 'npm run audit --',
  about: 'Asks the registry for known weaknesses of the packages of the server.',
  options: {},
});
const { stdout, stderr } = spawnSync('npm', ['audit', '--json', '--package-lock-only'], {
  cwd: projectRoot,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  shell: process.platform === 'win32',
});
const { vulnerabilities } = read(stdout);
if (vulnerabilities === undefined) {
  const [, why = 'no answer'] = /(?:warn|error) audit ([^\n]+)/.exec(stderr) ?? [];
  console.error(`The registry does not tell of weaknesses (${why}): nothing was checked.`);
  process.exit(2);
}
const shipped = shippedPlaces(readLock());
const found = Object.values(vulnerabilities).map(({ name, severity, range, nodes, via }) => ({
  line: `${name} ${range} (${severity}): ${reasonsOf(via).join('; ')}`,
  counts: nodes.some((place) => shipped.has(place)),
}));
const counted = found.filter(({ counts }) => counts);
for (const { line } of counted) console.error(line);
for (const { line, counts } of found) if (!counts) console.error(`only for development: ${line}`);
console.log(`${counted.length} of ${shipped.size} packages have known weaknesses`);
process.exit(counted.length > 0 ? 1 : 0);

function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Titles with addresses; a name means that this package has it from that one. */
function reasonsOf(via) {
  return via.map((each) => (typeof each === 'string' ? `by ${each}` : `${each.title} ${each.url}`));
}
