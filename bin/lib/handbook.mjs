// Builds the handbook into dist/site, only when what it is made of has changed. It is no part of the
// server: what goes wrong is said, and the server says at /docs that there is none. It needs the
// packages of the lockfile; its fonts are those of the page, where that is built.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { projectRoot } from './run.mjs';

const inProject = (...parts) => path.join(projectRoot, ...parts);
const stampFile = inProject('dist', 'site-built.txt');
const target = inProject('dist', 'site');
const sources = ['docs', 'site', 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];

/** Resolves with true when dist/site is what docs/ says. Never rejects. */
export async function buildHandbook() {
  try {
    if (!fs.existsSync(inProject('site'))) return fs.existsSync(target);
    const wanted = sourceHash();
    if (fs.existsSync(stampFile) && fs.readFileSync(stampFile, 'utf8') === wanted) return true;
    const { buildSite } = await import('../../site/build-site.mjs');
    buildSite(projectRoot, target, { isPacked: true });
    fs.writeFileSync(stampFile, wanted);
    return true;
  } catch (error) {
    console.error(`The handbook could not be built; the server runs without it. ${error.message}`);
    return false;
  }
}

/** Of names and contents: file times say nothing after a checkout. */
function sourceHash() {
  const hash = createHash('sha256');
  const hasFonts = fs.existsSync(inProject('ui', 'node_modules', '@fontsource-variable'));
  hash.update(String(hasFonts));
  for (const file of sources.flatMap(filesBelow)) {
    hash.update(path.relative(projectRoot, file)).update(fs.readFileSync(file));
  }
  return hash.digest('hex');
}

function filesBelow(source) {
  const root = inProject(source);
  if (fs.statSync(root).isFile()) return [root];
  return fs
    .readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(root, name))
    .filter((file) => fs.statSync(file).isFile())
    .sort();
}
