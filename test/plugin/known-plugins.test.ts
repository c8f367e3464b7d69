// The plug-ins made with the server are what the catalogue says of them, and packages that stand
// alone.
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundledPackages } from '../../bin/lib/bundled-packages.mjs';
import { ownPackages } from '../../bin/lib/own-packages.mjs';
import { includedPlugins } from '../../bin/lib/plugins.mjs';
import { knownPlugins, packageOfPlugin } from '../../src/model/known-plugins.js';
import { projectRoot } from '../../testkit/project.js';
import { everyPlugin } from '../support/every-plugin.js';
import { filesBelow, readModules, readProjectFile } from '../structure/source-tree.js';

const folders = fs
  .readdirSync(path.join(projectRoot, 'plugins'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'contract')
  .map(({ name }) => name)
  .sort();

describe('the catalogue of plug-ins', () => {
  it('has an entry for each folder of plugins, and no other', () => {
    expect(knownPlugins.map(({ name }) => name).sort()).toEqual(folders);
    expect(everyPlugin.map(({ name }) => name).sort()).toEqual(folders);
  });

  it('knows what each of them brings', () => {
    for (const plugin of everyPlugin) {
      const { name, taskTypes = [], brokerKinds = [], vectorStores = [] } = plugin;
      const { isIncluded: _, ...known } = knownPlugins.find((each) => each.name === name) ?? {};
      expect(known).toEqual({
        name,
        taskTypes: taskTypes.map((type) => type.name),
        eventKinds: brokerKinds.flatMap((kind) => kind.eventKinds),
        providerTypes: brokerKinds.flatMap((kind) => kind.providerTypes),
        vectorStores: vectorStores.map((kind) => kind.providerType),
        mediaTypes: (plugin.documentReaders ?? []).map((reader) => reader.mediaType),
      });
    }
  });
});

it('those that come with the server are bundled with it, and bring no packages', () => {
  const included = knownPlugins.filter(({ isIncluded }) => isIncluded).map(({ name }) => name);
  expect(included).toEqual(includedPlugins);
  for (const name of included) {
    const manifest = readProjectFile(`plugins/${name}/package.json`);
    const { dependencies } = JSON.parse(manifest) as { dependencies: object };
    expect(Object.keys(dependencies)).toEqual(['@downbeat/plugin']);
  }
});

describe.each(folders)('the plug-in %s', (name) => {
  const manifest = JSON.parse(readProjectFile(`plugins/${name}/package.json`)) as {
    name: string;
    dependencies: Record<string, string>;
  };
  const modules = readModules(`plugins/${name}/src`);

  it('is a package of its name with a page', () => {
    expect(manifest.name).toBe(packageOfPlugin(name));
    const page = readProjectFile(`plugins/${name}/README.md`);
    expect(page).toMatch(/^## Settings$/m);
    expect(page).toContain(`npm run setup:plugins -- ${name}`);
    expect(readProjectFile('docs/plugins.md')).toContain(`(../plugins/${name}/README.md)`);
  });

  it('imports nothing of the server but the contract', () => {
    const outside = modules.flatMap(({ path: from, imports }) =>
      imports.filter((to) => !to.startsWith(`plugins/${name}/`)).map((to) => `${from} -> ${to}`),
    );
    expect(outside).toEqual([]);
  });

  it('declares the packages that it loads, and no other', () => {
    const loaded = modules
      .flatMap(({ packages }) => packages)
      .filter((each) => !each.startsWith('node:'))
      .map((each) => /^(?:@[^/]+\/)?[^/]+/.exec(each)?.[0]);
    expect([...new Set(loaded)].sort()).toEqual(Object.keys(manifest.dependencies).sort());
  });

  it('opens each file with what it is for', () => {
    const files = [...modules, ...readModules(`plugins/${name}/test`)];
    expect(files.filter(({ text }) => !text.startsWith('//')).map((file) => file.path)).toEqual([]);
    expect(filesBelow(`plugins/${name}/src`, ['.js'])).toEqual([]);
  });
});

describe('the server', () => {
  it('needs no package of a plug-in', () => {
    const manifest = JSON.parse(readProjectFile('package.json')) as {
      dependencies: Record<string, string>;
    };
    const loaded = readModules('src')
      .flatMap(({ packages }) => packages)
      .filter((each) => !each.startsWith('node:') && !each.includes('${'))
      .map((each) => /^(?:@[^/]+\/)?[^/]+/.exec(each)?.[0] ?? '')
      // Types; the build copies its binary (src/api/listener-binary.ts).
      .filter((each) => each !== 'uWebSockets.js');
    const own = ownPackages(projectRoot);
    const isThere = (each: string): boolean =>
      each in manifest.dependencies || bundledPackages.includes(each) || each in own;
    const undeclared = [...new Set(loaded)].filter((each) => !isThere(each));
    expect(undeclared).toEqual([]);
  });
});
