// `npm run sbom`: the packages of the server as CycloneDX, from the lock file. npm's own
// `--omit dev` leaves out packages of the server too where the same package is also for
// development, so the lock file says here which ones the server has.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { bundledPlaces } from './lib/bundled-packages.mjs';
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
const built = new Set(['node_modules/uWebSockets.js', ...bundledPlaces(lock.packages)]);
const shipped = new Set(
  Object.entries(lock.packages)
    // The build bundles some, and copies the listener's binary out of its package.
    .filter(([place, entry]) => entry.dev !== true || built.has(place))
    .filter(([place]) => place !== '')
    .map(([place, { version }]) => `${place.replace(/^.*node_modules\//, '')} ${version}`),
);
const components = all.components
  .filter(({ name, version }) => shipped.has(`${name} ${version}`))
  .map((component) => ({ ...component, scope: 'required', properties: [] }));
const kept = new Set([all.metadata.component, ...components].map((part) => part['bom-ref']));
const dependencies = all.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((on) => kept.has(on)) }));
console.log(JSON.stringify({ ...all, components, dependencies }, undefined, 2));
