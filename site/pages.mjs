// Which pages the site has, and their order: what the tables of docs/README.md list, by its headings,
// and behind the README of a folder every page of it. The file system is read here and nowhere else.
import fs from 'node:fs';
import path from 'node:path';

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
  for (const introduction of pages.filter(({ source }) => /^docs\/.+\/README\.md$/.test(source))) {
    const folder = path.posix.dirname(introduction.source);
    const inFolder = fs
      .readdirSync(path.join(root, folder))
      .sort()
      .map((name) => path.posix.join(folder, name))
      .filter((name) => name.endsWith('.md') && pages.every(({ source }) => source !== name))
      .map((source) => page(root, source, { question: '', group: introduction.title }));
    pages.splice(pages.indexOf(introduction) + 1, 0, ...inFolder);
  }
  const lost = markdownIn(root, 'docs').filter((name) =>
    pages.every(({ source }) => source !== name),
  );
  if (lost.length > 0) throw new Error(`docs/README.md lists no page ${lost.join(', ')}`);
  return pages;
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

function markdownIn(root, folder) {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.posix.join(folder, name.split(path.sep).join('/')));
}

function readText(root, file) {
  return fs.readFileSync(path.join(root, file), 'utf8');
}
