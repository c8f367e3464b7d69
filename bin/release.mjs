// `npm run release -- --version VERSION [--name NAME] [--write] [--out DIR]`: checks what a release needs and
// prints its plan. With --write it sets the version, dates the section of CHANGELOG.md, packs the
// server and lists its packages (SBOM). Tags and publishes nothing: it prints the commands, since
// both cannot be taken back. Exit code 1: something speaks against it; 2: bad input. Both change
// nothing.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { readOptions } from './lib/options.mjs';
import { projectRoot } from './lib/run.mjs';
import {
  firstSection,
  isVersion,
  problemsOf,
  versionPlaces,
  withDay,
  withVersion,
} from './lib/versions.mjs';

const options = readOptions({
  command: 'npm run release --',
  about: 'Prepares a release: version, changelog, package and SBOM. Without --write it only tells.',
  options: {
    version: { type: 'string', about: 'version of the release, such as 0.2.0' },
    name: { type: 'string', about: 'name on the registry in place of @downbeat/server' },
    write: { type: 'boolean', about: 'does what the plan says' },
    out: { type: 'string', about: 'folder of what is published', default: 'release' },
  },
});
const { version = '', out, name: packageName } = options;
if (!isVersion(version)) {
  console.error(`--version must be a semantic version such as 0.2.0, not '${version}'.`);
  process.exit(2);
}
const inProject = (name) => path.join(projectRoot, name);
const read = (name) => fs.readFileSync(inProject(name), 'utf8');
const git = (...args) =>
  execFileSync('git', args, { cwd: projectRoot, encoding: 'utf8' }).split('\n').filter(Boolean);

const current = JSON.parse(read('package.json')).version;
const changelog = read('CHANGELOG.md');
const problems = problemsOf({
  ...{ version, current, changelog },
  tags: git('tag', '--list'),
  changed: git('status', '--porcelain').map((line) => line.slice(3)),
});
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error('Nothing was changed.');
  process.exit(1);
}

const folder = path.resolve(out);
const notesFile = path.join(folder, `downbeat-${version}.notes.md`);
const sbomFile = path.join(folder, `downbeat-${version}.cdx.json`);
const tarball = path.join(folder, `downbeat-${version}.tgz`);
const day = new Date().toISOString().slice(0, 10);
// Read before anything is written: a place that is missing changes nothing.
const renewed = Object.keys(versionPlaces).map((name) => [
  name,
  withVersion(name, read(name), current, version),
]);

if (options.write) {
  for (const [name, text] of renewed) fs.writeFileSync(inProject(name), text);
  fs.writeFileSync(inProject('CHANGELOG.md'), withDay(changelog, day));
  fs.mkdirSync(folder, { recursive: true });
  const programme = (name, args, stdout) =>
    execFileSync(process.execPath, [inProject(`bin/${name}`), ...args], {
      cwd: projectRoot,
      stdio: ['ignore', stdout, 'inherit'],
      maxBuffer: 64 * 1024 * 1024,
    });
  const name = packageName === undefined ? [] : ['--name', packageName];
  programme('pack.mjs', ['--out', folder, ...name], 'inherit');
  fs.writeFileSync(sbomFile, programme('sbom.mjs', [], 'pipe'));
  fs.writeFileSync(notesFile, `Downbeat ${version}\n\n${firstSection(changelog).notes}\n`);
  const hash = createHash('sha256').update(fs.readFileSync(tarball)).digest('hex');
  console.log(`${tarball}\n  sha256 ${hash}\n${sbomFile}\n${notesFile}\n`);
} else {
  const files = current === version ? [] : renewed.map(([name]) => name);
  console.log(`${version}, ${day}; --write does this:`);
  if (files.length > 0) console.log(`  ${current} becomes ${version} in ${files.join(', ')}`);
  console.log(`  the section of CHANGELOG.md gets the day in place of "unreleased"`);
  for (const file of [tarball, sbomFile, notesFile]) console.log(`  writes ${file}`);
  console.log();
}
console.log(`Then, in this order:
  npm run test:all
  git commit --all --message "release: ${version}"
  git tag --annotate v${version} --cleanup=verbatim --file ${notesFile}
  git push origin HEAD v${version}
  npm publish ${tarball} --access public --provenance`);
