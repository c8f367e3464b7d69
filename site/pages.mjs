// Which pages the site has, and their order: what the tables of docs/README.md list, by its headings,
// and below some of those every page of a folder. The file system is read here and nowhere else.
import fs from 'node:fs';
import path from 'node:path';

/** Folders whose pages follow the page that introduces them. */
const listedFolders = ['decisions', 'evidence', 'moving', 'tutorials'];

/**
 * The pages of the site: `source` (path of the Markdown file in the project), `target` (path of the
 * HTML file in the site), `title`, `question` (what the page answers; '' where nobody says), `group`
 * and `text`. Throws an Error for a page of docs/ that no table lists.
 */
export function readPages(root) {
  const index = readText(root, 'docs/README.md');
  const pages = [page(root, 'docs/README.md', { question: '', group: '' })];
  let group = 'Handbook';
  for (const line of index.split('\n')) {
    const heading = /^#{2,3} (.+)$/.exec(line);
    if (heading) group = heading[1];
    for (const [, , link, question] of line.matchAll(/^\| \[([^\]]+)\]\(([^)#]+)\) \| (.*) \|$/g)) {
      const source = path.posix.join('docs', link);
      if (pages.some((each) => each.source === source)) continue;
      pages.push(page(root, source, { question, group }));
    }
  }
  const introduced = pages.filter(({ source }) => source.endsWith('/README.md'));
  for (const folder of [
    ...introduced.map(({ source }) => path.posix.dirname(source)),
    ...listed(),
  ]) {
    if (folder === 'docs' || !fs.existsSync(path.join(root, folder))) continue;
    for (const name of fs.readdirSync(path.join(root, folder)).sort()) {
      const source = path.posix.join(folder, name);
      if (!name.endsWith('.md') || pages.some((each) => each.source === source)) continue;
      const parent = pages.find((each) => path.posix.dirname(each.source) === folder);
      const added = page(root, source, { question: '', group: parent?.title ?? titleOf(folder) });
      const last = pages.findLastIndex((each) => path.posix.dirname(each.source) === folder);
      pages.splice(last < 0 ? pages.length : last + 1, 0, added);
    }
  }
  const lost = markdownIn(root, 'docs').filter((name) =>
    pages.every(({ source }) => source !== name),
  );
  if (lost.length > 0) throw new Error(`docs/README.md lists no page ${lost.join(', ')}`);
  return pages;
}

function listed() {
  return listedFolders.map((folder) => `docs/${folder}`);
}

function page(root, source, { question, group }) {
  const text = readText(root, source);
  const title = plain(/^# (.+)$/m.exec(text)?.[1] ?? path.posix.basename(source, '.md'));
  return { source, target: targetOf(source), title, question: plain(question), group, text };
}

/** Path in the site of a Markdown file of the project. */
export function targetOf(source) {
  const inDocs = source.startsWith('docs/') ? source.slice('docs/'.length) : source;
  return inDocs
    .replace(/(^|\/)README\.md$/, '$1index.html')
    .replace(/\.md$/, '.html')
    .toLowerCase();
}

/** Without the marks of Markdown. */
function plain(text) {
  return text.replaceAll(/[`*]/g, '').replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');
}

function titleOf(folder) {
  const name = path.posix.basename(folder);
  return name[0].toUpperCase() + name.slice(1);
}

function markdownIn(root, folder) {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.posix.join(folder, name.split(path.sep).join('/')));
}

function readText(root, file) {
  return fs.readFileSync(path.join(root, file), 'utf8');
}
