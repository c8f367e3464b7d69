// `node bin/lib/bundle.mjs`: bundles server and command into few files of dist, so that a start reads two files in place of a
// thousand (decision 0015):
//   dist/bundle/server.js, command.js  the programmes, loaded by dist/bundle/load.js
//   dist/main.js, ...                  one for each programme, which only names it
//   dist/sandbox/script-worker.js, ... programmes of processes and threads of the server
//   dist/included/models/...           plug-ins that come with the server, each a package
//   dist/cli/testing.js, .d.ts         what `@downbeat/server/testing` exports, and its types
// Almost all are CommonJS: Node keeps what V8 compiles of such, and needs no loader of modules. Names and
// lines stay as they are, so a stack says which function of which source it was.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { isolatedDeclarationSync } from 'rolldown/experimental';
import { bundledPackages, notBundled } from './bundled-packages.mjs';
import { copyScripts } from './copy-scripts.mjs';
import { ownPackages } from './own-packages.mjs';
import { includedPlugins } from './plugins.mjs';
import { projectRoot } from './run.mjs';

/** Programmes by bundle, each with its source and its place in dist. */
const bundles = [
  {
    name: 'server',
    programmes: [
      { name: 'main', source: 'src/main.ts', target: 'main.js' },
      { name: 'test-server', source: 'src/test-server.ts', target: 'test-server.js' },
      { name: 'admin-command', source: 'src/admin-command.ts', target: 'admin-command.js' },
      { name: 'fsck-command', source: 'src/fsck-command.ts', target: 'fsck-command.js' },
      {
        name: 'server-process',
        source: 'src/server/processes/server-process.ts',
        target: 'server/processes/server-process.js',
      },
    ],
  },
  {
    name: 'command',
    programmes: [{ name: 'downbeat', source: 'cli/main.ts', target: 'cli/main.js' }],
  },
];

/** Files that stand alone. */
const alone = [
  { source: 'src/load-bundle.ts', target: 'bundle/load.js' },
  // Its engine comes as an ECMAScript module with a file beside it.
  { source: 'src/sandbox/script-worker.ts', target: 'sandbox/script-worker.js', format: 'esm' },
  { source: 'src/telemetry/watchdog-thread.ts', target: 'telemetry/watchdog-thread.js' },
  { source: 'src/api/large-body-thread.ts', target: 'api/large-body-thread.js' },
  { source: 'src/system-task/isolated/worker.ts', target: 'system-task/isolated/worker.js' },
  { source: 'cli/testing.ts', target: 'cli/testing.js', hasTypes: true },
];

const entryName = 'downbeat:programmes';

/**
 * Packages that a bundled one tries to load and does without. They are empty in a bundle: whether
 * one is installed beside the project would change it otherwise.
 */
const triedOnly = ['supports-color'];
const emptyPrefix = 'downbeat:empty:';

/**
 * Writes the bundles of the sources below `root` into `dist`, with the scripts beside them. Rejects with the reason when a source cannot be
 * bundled.
 */
export async function bundleInto(dist, root = projectRoot) {
  for (const made of ['bundle', 'included']) {
    fs.rmSync(path.join(dist, made), { recursive: true, force: true });
  }
  fs.mkdirSync(dist, { recursive: true });
  // The project's says that files are ECMAScript modules.
  writeKind(dist, 'commonjs');
  const modules = await Promise.all([
    ...bundles.map((each) => writeBundle(each, { dist, root })),
    ...alone.map((each) => writeAlone(each, { dist, root })),
    ...includedPlugins.map((name) => writeIncluded(name, { dist, root })),
  ]);
  fs.writeFileSync(path.join(dist, 'bundle', 'LICENSES.txt'), licencesOf(modules.flat()));
  copyScripts(path.join(root, 'src'), dist);
  for (const { name: bundle, programmes } of bundles) {
    for (const { name, target } of programmes) writeStarter({ bundle, name, target }, dist);
  }
}

/** Says what the files below a folder are. */
function writeKind(folder, type) {
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify({ type })}\n`);
}

async function writeBundle({ name, programmes }, { dist, root }) {
  const entries = programmes.map(
    (each) =>
      `'${each.name}': async () => (await import('${path.join(root, each.source)}')).started,`,
  );
  const entry = {
    name: 'programmes',
    resolveId: (id) => (id === entryName ? id : undefined),
    load: (id) =>
      id === entryName ? `export const programmes = {\n${entries.join('\n')}\n};` : undefined,
  };
  const file = path.join(dist, 'bundle', `${name}.js`);
  return await write(
    { input: entryName, file, plugins: [entry], isCompiledOnce: true },
    { dist, root },
  );
}

async function writeAlone({ source, target, format = 'cjs', hasTypes = false }, places) {
  const file = path.join(places.dist, target);
  if (format === 'esm') writeKind(path.dirname(file), 'module');
  if (hasTypes) writeTypes(path.join(places.root, source), file.replace(/\.js$/, '.d.ts'));
  return await write({ input: path.join(places.root, source), file, plugins: [], format }, places);
}

/** A plug-in that comes with the server: it holds its own copy of the contract. */
async function writeIncluded(name, { dist, root }) {
  const folder = path.join(dist, 'included', name);
  const source = path.join(root, 'plugins', name);
  const manifest = JSON.parse(fs.readFileSync(path.join(source, 'package.json'), 'utf8'));
  const { name: packageName, version, license, type } = manifest;
  const own = { name: packageName, version, license, type, exports: './plugin.js' };
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(own)}\n`);
  const input = path.join(source, 'src', 'plugin.ts');
  const file = path.join(folder, 'plugin.js');
  return await write({ input, file, plugins: [], format: 'esm' }, { dist, root });
}

/** The types of one source, whose exports state their own and come from no other source of ours. */
function writeTypes(source, file) {
  const { code, errors } = isolatedDeclarationSync(source, fs.readFileSync(source, 'utf8'));
  const [error] = errors;
  if (error !== undefined) throw new Error(`types of ${source}: ${error.message}`);
  if (/from "\./.test(code)) throw new Error(`types of ${source} need another source`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, code);
}

/**
 * Resolves with the modules that are in the file. `isCompiledOnce`: load-bundle.ts loads it, which
 * gives it `__import`.
 */
async function write(
  { input, file, plugins, format = 'cjs', isCompiledOnce = false },
  { dist, root },
) {
  const toDist = JSON.stringify(path.relative(path.dirname(file), dist) || '.');
  const banner = `'use strict';
function __placeOf(name) {
  const file = require('node:path').join(__dirname, ${toDist}, name);
  return { url: require('node:url').pathToFileURL(file).href, dirname: require('node:path').dirname(file) };
}`;
  const contract = path.join(root, 'src', 'plugin', 'published.ts');
  const own = { ...ownPackages(root), '@downbeat/plugin': contract };
  const bundle = await rolldown({
    input,
    cwd: root,
    platform: 'node',
    // As tsconfig.json has it: Node 20 has no declaration `using`, for one.
    transform: { target: 'es2022' },
    resolve: { alias: own },
    external: (id, importer) => own[id] === undefined && isExternal(id, importer),
    plugins: [
      ...plugins,
      withoutTried,
      ...(format === 'cjs' ? [placed(root, isCompiledOnce)] : []),
    ],
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(`bundling ${input}: ${log.message}`);
    },
  });
  const { output } = await bundle.generate({
    ...{ file, format, keepNames: true, minify: false, codeSplitting: false },
    ...(format === 'cjs' && { banner }),
    // A module runs when it is first needed, as it does where each is a file.
    strictExecutionOrder: true,
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  await bundle.close();
  const [{ code, moduleIds }] = output;
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, inAscii(code));
  return moduleIds;
}

const withoutTried = {
  name: 'without-tried',
  resolveId: (id) => (triedOnly.includes(id) ? `${emptyPrefix}${id}` : undefined),
  load: (id) => (id.startsWith(emptyPrefix) ? 'module.exports = {};' : undefined),
};

function isExternal(id, importer) {
  if (triedOnly.includes(id)) return false;
  if (id.startsWith('.') || path.isAbsolute(id) || id === entryName) return false;
  if (id.startsWith('node:') || id === notBundled) return true;
  // What a bundled package needs is bundled with it.
  if (importer?.includes(`${path.sep}node_modules${path.sep}`)) return false;
  const [first, second] = id.split('/');
  return !bundledPackages.includes(first.startsWith('@') ? `${first}/${second}` : first);
}

/**
 * A module of ours still finds what lies beside it in dist, by the place that it would have there;
 * and imports at run time what is not in the bundle.
 */
function placed(root, isCompiledOnce) {
  const sources = [
    { folder: path.join(root, 'src'), prefix: '' },
    { folder: path.join(root, 'cli'), prefix: 'cli/' },
  ];
  return {
    name: 'placed',
    transform(code, id) {
      const from = sources.find(({ folder }) => id.startsWith(folder + path.sep));
      if (from === undefined) return undefined;
      const place = from.prefix + path.relative(from.folder, id).replace(/\.ts$/, '.js');
      const placedCode = code.replaceAll(
        /\bimport\.meta\.(url|dirname)\b/g,
        (_, part) => `__placeOf(${JSON.stringify(place)}).${part}`,
      );
      return {
        code: isCompiledOnce
          ? placedCode.replaceAll(/(?<![\w.])import\((?!\s*['"]\.)/g, '__import(')
          : placedCode,
      };
    },
  };
}

/** The licences of the packages that modules belong to, as their makers ask for. */
function licencesOf(modules) {
  const folders = modules
    .map((id) => /^.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0])
    .filter((folder) => folder !== undefined);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
    const file = fs.readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
    const text = file === undefined ? '' : fs.readFileSync(path.join(folder, file), 'utf8');
    return `${manifest.name} ${manifest.version} (${manifest.license})\n\n${text.trim()}\n`;
  });
  const line = `\n${'-'.repeat(78)}\n\n`;
  return ['Code of these packages is part of the files of this folder.\n', ...texts].join(line);
}

/** V8 keeps a text of ASCII alone at half the size. The same in literals, which is where it stands. */
function inAscii(code) {
  return code.replaceAll(/[^\x00-\x7f]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

function writeStarter({ bundle, name, target }, dist) {
  const file = path.join(dist, target);
  const up = path.relative(path.dirname(file), path.join(dist, 'bundle'));
  const from = up.startsWith('.') ? up : `./${up}`;
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(
    file,
    `'use strict';
require('${from}/load.js').load(require('node:path').join(__dirname, '${up}', '${bundle}.js'), '${name}');
`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await bundleInto(path.join(projectRoot, 'dist'));
}
