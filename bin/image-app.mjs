// `node bin/image-app.mjs FOLDER`: what the images hold of this folder once it is built and its
// packages for development are gone, in FOLDER/core without plug-ins and in FOLDER/all with them.
import fs from 'node:fs';
import path from 'node:path';
import { writeCoreInstall } from './lib/core-install.mjs';
import { readOptions } from './lib/options.mjs';
import { projectRoot } from './lib/run.mjs';

/** Copies for browsers and sources of what is built, megabytes that no process reads. */
const unreadFolders = ['protobufjs/dist', '@zxcvbn-ts/language-common/src', 'fast-uri/test'];

const parsed = readOptions({
  command: 'node bin/image-app.mjs',
  about: 'Writes what the images hold into FOLDER/core, and with plug-ins into FOLDER/all.',
  positional: 'FOLDER',
  options: {},
});
const [folder] = parsed.arguments;
if (folder === undefined) {
  console.error('node bin/image-app.mjs FOLDER: the folder to write into is missing.');
  process.exit(2);
}
for (const built of ['ui/index.html', 'site/index.html.gz', 'bundle/server.js']) {
  // A build goes on without page and handbook; an image has both.
  if (fs.existsSync(path.join(projectRoot, 'dist', built))) continue;
  console.error(`dist/${built} is missing: npm run build says why.`);
  process.exit(1);
}
const core = path.join(folder, 'core');
writeCoreInstall(core);
const all = path.join(folder, 'all');
for (const part of ['package.json', 'node_modules', 'dist', 'plugins']) {
  fs.cpSync(path.join(projectRoot, part), path.join(all, part), {
    recursive: true,
    verbatimSymlinks: true, // Packages of plug-ins link to their folders.
  });
}
for (const target of [core, all]) {
  for (const part of ['LICENSE', 'bin/downbeat.mjs']) {
    fs.cpSync(path.join(projectRoot, part), path.join(target, part));
  }
  removeUnread(path.join(target, 'node_modules'));
}

/** Takes away what no process reads: types, maps, sources, pages, binaries for another C library. */
function removeUnread(modules) {
  for (const unread of unreadFolders) fs.rmSync(path.join(modules, unread), { recursive: true });
  for (const entry of fs.readdirSync(modules, { recursive: true, withFileTypes: true })) {
    const isLicense = /^(licen[cs]e|copying|notice)/i.test(entry.name);
    const isUnread = /\.([cm]?ts|map|flow|md|markdown|musl\.node)$/i.test(entry.name);
    if (entry.isFile() && isUnread && !isLicense)
      fs.rmSync(path.join(entry.parentPath, entry.name));
  }
}
