// `npm run sbom`: the packages of the server as CycloneDX, from the lock file. npm's own
// `--omit dev` leaves out packages of the server too where the same package is also for
// development, so the lock file says here which ones the server has.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { shippedPlaces } from './lib/bundled-packages.mjs';
import { readOptions } from './lib/options.mjs';
import { projectRoot } from './lib/run.mjs';

readOptions({
  command: 'npm run sbom --',
  about: 'Prints the packages of the server as CycloneDX JSON.',
  options: {},
});
const all = JSON.parse(
  execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    cwd: projectRoot,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  }),
);
const lock = JSON.parse(fs.readFileSync(path.join(projectRoot, 'package-lock.json'), 'utf8'));
const shipped = new Set(
  [...shippedPlaces(lock.packages)].map(
    (place) => `${place.replace(/^.*node_modules\//, '')} ${lock.packages[place].version}`,
  ),
);
const components = all.components
  .filter(({ name, version }) => shipped.has(`${name} ${version}`))
  .map((component) => ({ ...component, scope: 'required', properties: [] }));
const kept = new Set([all.metadata.component, ...components].map((part) => part['bom-ref']));
const dependencies = all.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((on) => kept.has(on)) }));
console.log(JSON.stringify({ ...all, components, dependencies }, undefined, 2));
