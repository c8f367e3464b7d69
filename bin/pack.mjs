// `npm run pack [-- --out DIR]`: builds server, page and command and packs them, as the package
// @downbeat/server with the command downbeat, in the file downbeat-VERSION.tgz. It runs where Node
// and a Redis are: no compiler, no packages for development, no sources. Its contents stand in
// `parts` and in the manifest made here; the packages that it needs come from the registry when it
// is installed, in the versions of this lock file.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readOptions } from './lib/options.mjs';
import { buildHandbook } from './lib/handbook.mjs';
import { buildPage } from './lib/page.mjs';
import { ensureServerPackages } from './lib/packages.mjs';
import { buildServer } from './lib/prepare.mjs';
import { projectRoot } from './lib/run.mjs';

const {
  out,
  name: givenName,
  'no-ui': noPage,
} = readOptions({
  command: 'npm run pack --',
  about: 'Packs the server, its page and the command downbeat as downbeat-VERSION.tgz.',
  options: {
    out: { type: 'string', about: 'folder of the package', default: '.' },
    name: { type: 'string', about: 'name on the registry in place of @downbeat/server' },
    'no-ui': { type: 'boolean', about: 'leaves the page out' },
  },
});
if (givenName !== undefined && !/^(?:@[a-z\d][\w.-]*\/)?[a-z\d][\w.-]*$/.test(givenName)) {
  console.error(`--name must be the name of a package such as @scope/server, not '${givenName}'.`);
  process.exit(2);
}
const parts = ['LICENSE', 'README.md', 'CHANGELOG.md', 'bin/downbeat.mjs'];

await ensureServerPackages();
const isPageBuilt = noPage || buildPage();
buildServer();
if (!(await isPageBuilt) || !(noPage || (await buildHandbook()))) {
  console.error(
    'Page or handbook could not be built, so nothing was packed; --no-ui packs without them.',
  );
  process.exit(1);
}
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'downbeat-pack-'));
try {
  for (const part of parts) {
    fs.cpSync(path.join(projectRoot, part), path.join(folder, part), { recursive: true });
  }
  fs.cpSync(path.join(projectRoot, 'dist'), path.join(folder, 'dist'), {
    recursive: true,
    filter: (source) => isShipped(path.relative(path.join(projectRoot, 'dist'), source)),
  });
  fs.writeFileSync(
    path.join(folder, 'package.json'),
    `${JSON.stringify(manifest(), undefined, 2)}\n`,
  );
  fs.mkdirSync(out, { recursive: true });
  const target = path.resolve(out);
  const said = execFileSync('npm', ['pack', '--json', '--pack-destination', target], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  });
  const [{ filename, size, entryCount }] = JSON.parse(said);
  const { version } = manifest();
  const file = path.join(target, `downbeat-${version}.tgz`);
  fs.renameSync(path.join(target, filename.replace(/^@/, '').replace('/', '-')), file);
  console.error(`${entryCount} files, ${(size / 1024 ** 2).toFixed(1)} MiB`);
  console.log(file);
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}

/** Not the programmes of tests and figures, pictures, nor what says when something was built. */
function isShipped(name) {
  const [first] = name.split(path.sep);
  if (['tools', 'screenshots', 'plugins', 'plugins.tsconfig.json'].includes(first)) return false;
  if (first.startsWith('.plugins-built') || (noPage && ['ui', 'site'].includes(first)))
    return false;
  // What V8 made of the bundles is for this machine alone.
  if (/^bundle[\\/].*\.cache/.test(name)) return false;
  if (name === '.listener-fetched') return false;
  return !/(^|\/)\.(built|building|tsbuildinfo)$|^(ui-(built|failure)|site-built)\.txt$/.test(name);
}

/** The manifest of the package: without what is for a clone, with versions as they are locked. */
function manifest() {
  const read = (name) => JSON.parse(fs.readFileSync(path.join(projectRoot, name), 'utf8'));
  const {
    name: ownName,
    version,
    description,
    license,
    type,
    engines,
    bin,
    dependencies,
    optionalDependencies,
  } = read('package.json');
  const locked = read('package-lock.json').packages;
  const exact = (wanted) =>
    Object.fromEntries(
      Object.keys(wanted).map((each) => {
        const found = locked[`node_modules/${each}`]?.version;
        if (found === undefined) throw new Error(`package-lock.json does not hold ${each}`);
        return [each, found];
      }),
    );
  const name = givenName ?? ownName;
  return {
    ...{ name, version, description, license, type, engines, bin },
    keywords: ['workflow', 'orchestration', 'conductor', 'redis'],
    files: ['bin', 'dist', 'CHANGELOG.md'],
    exports: {
      './testing': { types: './dist/cli/testing.d.ts', default: './dist/cli/testing.js' },
      './package.json': './package.json',
    },
    dependencies: exact(dependencies),
    optionalDependencies: exact(optionalDependencies),
  };
}
