// The plug-ins of this clone (plugins/NAME): which are installed, and their build.
import fs from 'node:fs';
import path from 'node:path';
import { compile } from './compile.mjs';
import { projectRoot } from './run.mjs';

const inProject = (...parts) => path.join(projectRoot, ...parts);
const contract = 'contract';

/** Those that come with the server, since they bring no packages: the build bundles them. */
export const includedPlugins = ['models'];

/** Names of all, sorted. */
export function pluginNames() {
  return fs
    .readdirSync(inProject('plugins'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== contract)
    .filter(({ name }) => fs.existsSync(inProject('plugins', name, 'package.json')))
    .map(({ name }) => name)
    .sort();
}

/** Those whose packages npm has installed: it links them below node_modules. */
export function installedPlugins() {
  return pluginNames().filter((name) =>
    fs.existsSync(inProject('node_modules', '@downbeat', `plugin-${name}`)),
  );
}

/**
 * Compiles the contract and the given plug-ins, each into its own folder dist. One run of the
 * compiler for all of them.
 */
export function compilePlugins(names) {
  if (names.length === 0) return;
  compile(inProject('plugins', contract));
  const made = inProject('dist', 'plugins');
  const project = inProject('dist', 'plugins.tsconfig.json');
  fs.rmSync(made, { recursive: true, force: true });
  fs.writeFileSync(
    project,
    JSON.stringify({
      extends: inProject('tsconfig.json'),
      compilerOptions: {
        ...{ noEmit: false, declaration: true, paths: {} },
        ...{ rootDir: inProject('plugins'), outDir: made },
        typeRoots: [inProject('node_modules', '@types')],
      },
      include: names.map((name) => inProject('plugins', name, 'src')),
    }),
  );
  compile(project);
  for (const name of names) {
    const dist = inProject('plugins', name, 'dist');
    fs.rmSync(dist, { recursive: true, force: true });
    fs.cpSync(path.join(made, name, 'src'), dist, { recursive: true });
  }
}
