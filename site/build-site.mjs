// Builds the handbook as a site: static files that a node serves at /docs and that any web server
// can serve, without a call to anywhere else. A link to a page or an anchor that is not there, a
// picture that is missing and a page that nobody lists end the build.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import MiniSearch from 'minisearch';
import { renderPage, pictureTarget } from './markdown.mjs';
import { readPages } from './pages.mjs';
import { searchOptions } from './assets/search-options.js';
import { landingHtml, llmsText, pageHtml } from './template.mjs';

/** Bytes of the text of one section that the search knows. */
const sectionCharsMax = 20_000;

/**
 * Writes the site of the project `root` into the folder `out`. `isPacked`: texts compressed only, as a
 * node serves them; else as any web server does. Throws an Error that lists what is wrong.
 */
export function buildSite(root, out, { isPacked = false } = {}) {
  const pages = readPages(root);
  const bySource = new Map(pages.map((page) => [page.source, page]));
  const rendered = pages.map((page) => ({ page, ...renderPage(page, bySource) }));
  const troubles = [...brokenLinks(rendered), ...missingPictures(root, rendered)];
  if (troubles.length > 0) throw new Error(`The site has mistakes:\n${troubles.join('\n')}`);

  fs.rmSync(out, { recursive: true, force: true });
  const readme = fs.readFileSync(path.join(root, 'README.md'), 'utf8');
  for (const { page, html, headings } of rendered) {
    const whole =
      page.target === 'index.html'
        ? landingHtml({ readme, pages, picture: landingPicture(root, out) })
        : pageHtml({ page, html, headings, pages });
    write(out, page.target, whole);
    write(out, page.target.replace(/\.html$/, '.md'), page.text);
  }
  write(out, 'search.json', JSON.stringify(searchIndex(rendered)));
  write(out, 'llms.txt', llmsText(pages));
  copyAssets(root, out);
  for (const file of new Set(rendered.flatMap(({ pictures }) => pictures))) {
    copy(path.join(root, file), path.join(out, pictureTarget(file)));
  }
  if (isPacked) pack(out);
  return { pages: pages.length };
}

function brokenLinks(rendered) {
  const anchors = new Map(
    rendered.map(({ page, headings }) => [
      page.source,
      new Set(headings.map((each) => each.anchor)),
    ]),
  );
  return rendered.flatMap(({ page, links }) =>
    links
      .filter(({ target, anchor }) => anchor !== '' && !anchors.get(target).has(anchor))
      .map(({ target, anchor }) => `${page.source}: ${target} has no heading #${anchor}`),
  );
}

function missingPictures(root, rendered) {
  return rendered.flatMap(({ page, pictures }) =>
    pictures
      .filter((file) => !fs.existsSync(path.join(root, file)))
      .map((file) => `${page.source}: there is no picture ${file}`),
  );
}

function searchIndex(rendered) {
  const search = new MiniSearch(searchOptions);
  for (const { page, sections } of rendered) {
    for (const { anchor, heading, text } of sections) {
      search.add({
        id: `${page.target}#${anchor}`,
        page: page.title,
        heading,
        text: text.slice(0, sectionCharsMax),
        excerpt: text.slice(0, 160),
      });
    }
  }
  return search;
}

function copyAssets(root, out) {
  const assets = path.join(root, 'site', 'assets');
  for (const name of fs.readdirSync(assets))
    copy(path.join(assets, name), path.join(out, 'assets', name));
  const library = createRequire(import.meta.url).resolve('minisearch');
  const module = path.join(path.dirname(library), '..', 'es', 'index.js');
  copy(module, path.join(out, 'assets', 'minisearch.js'));
  copy(path.join(root, 'ui', 'public', 'favicon.svg'), path.join(out, 'assets', 'icon.svg'));
  for (const [name, file] of fontsOf(root)) copy(file, path.join(out, 'assets', name));
}

/** The page's own fonts where its packages are installed; without them the system's serve. */
function fontsOf(root) {
  const fonts = path.join(root, 'ui', 'node_modules', '@fontsource-variable');
  return [
    ['inter.woff2', path.join(fonts, 'inter', 'files', 'inter-latin-wght-normal.woff2')],
    [
      'mono.woff2',
      path.join(fonts, 'jetbrains-mono', 'files', 'jetbrains-mono-latin-wght-normal.woff2'),
    ],
  ].filter(([, file]) => fs.existsSync(file));
}

/** A picture of the product that the build has made, if there is one. */
function landingPicture(root, out) {
  const file = ['docs/pictures/execution.webp', 'docs/pictures/execution.png'].find((each) =>
    fs.existsSync(path.join(root, each)),
  );
  if (file !== undefined) copy(path.join(root, file), path.join(out, pictureTarget(file)));
  return file && pictureTarget(file);
}

/** Each text as NAME.gz alone. */
function pack(out) {
  for (const name of fs.readdirSync(out, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(?:html|css|js|json|md|txt)$/.test(name)) continue;
    const file = path.join(out, name);
    fs.writeFileSync(`${file}.gz`, gzipSync(fs.readFileSync(file), { level: 9 }));
    fs.rmSync(file);
  }
}

function write(out, name, text) {
  const file = path.join(out, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

function copy(from, to) {
  fs.mkdirSync(path.dirname(to), { recursive: true });
  fs.copyFileSync(from, to);
}
