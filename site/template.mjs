// The frame of every page: navigation by groups, the page, its own headings, a search box.
import path from 'node:path';
import { escaped } from './markdown.mjs';

/**
 * The first page: what it is (the README's first words), how it starts (its first commands), a picture
 * of it, and the pages by what they answer.
 */
export function landingHtml({ readme, pages, picture }) {
  const [, words = ''] = /^# .+\n\n([\s\S]+?)\n\n/.exec(readme) ?? [];
  const [, commands = ''] = /^```sh\n([\s\S]+?)```/m.exec(readme) ?? [];
  const page = pages.find(({ target }) => target === 'index.html');
  const shown =
    picture && `<img src="${escaped(picture)}" alt="An execution in the page of Downbeat">`;
  const html = `<section class="landing">
<h1>Workflows that never lose a step</h1>
<p>${escaped(words)}</p>
<pre tabindex="0"><code>${escaped(commands.trimEnd())}</code></pre>
${shown ?? ''}
</section>
${groupsOf(pages)
  .map((group) => cards(group, pages))
  .join('\n')}`;
  return pageHtml({ page: { ...page, title: 'Handbook' }, html, headings: [], pages });
}

function cards(group, pages) {
  const items = pages
    .filter((page) => page.group === group && page.question !== '')
    .map(({ target, title, question }) => {
      return `<li><a href="${target}"><strong>${escaped(title)}</strong><span>${escaped(question)}</span></a></li>`;
    });
  return `<h2>${escaped(group)}</h2>\n<ul class="cards">${items.join('\n')}</ul>`;
}

function groupsOf(pages) {
  return [...new Set(pages.map(({ group }) => group))].filter((group) => group !== '');
}

/** One page of the site, whole. */
export function pageHtml({ page, html, headings, pages }) {
  const up = path.posix.relative(path.posix.dirname(page.target), '.') || '.';
  const at = pages.indexOf(page);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.title)} · Downbeat</title>
${page.question === '' ? '' : `<meta name="description" content="${escaped(page.question)}">`}
<link rel="icon" href="${up}/assets/icon.svg">
<link rel="stylesheet" href="${up}/assets/site.css">
<script type="module" src="${up}/assets/site.js" data-up="${up}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the page</a>
<header>
<a class="brand" href="${up}/index.html">Downbeat</a>
<form role="search"><input type="search" id="search" placeholder="Search the handbook  /" aria-label="Search the handbook" autocomplete="off" spellcheck="false"></form>
</header>
<div class="found" id="found" hidden role="listbox" aria-label="Found"></div>
<div class="frame">
<nav aria-label="Handbook">${navigation(page, pages, up)}</nav>
<main id="content">
<article>
${html}
</article>
<footer>${neighbour('Previous', pages[at - 1], up)}${neighbour('Next', pages[at + 1], up)}</footer>
</main>
<aside aria-label="On this page">${outline(headings)}</aside>
</div>
</body>
</html>
`;
}

function navigation(current, pages, up) {
  return groupsOf(pages)
    .map((group) => {
      const own = pages.filter((page) => page.group === group);
      const items = own.map((page) => {
        const mark = page === current ? ' aria-current="page"' : '';
        return `<li><a href="${up}/${page.target}"${mark}>${escaped(page.title)}</a></li>`;
      });
      const isOpen = own.includes(current) || own.length <= 15;
      return `<details${isOpen ? ' open' : ''}><summary>${escaped(group)}</summary><ul>${items.join('')}</ul></details>`;
    })
    .join('\n');
}

function outline(headings) {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (shown.length < 2) return '';
  const items = shown.map(
    ({ depth, text, anchor }) =>
      `<li class="depth-${depth}"><a href="#${anchor}">${escaped(text)}</a></li>`,
  );
  return `<h2>On this page</h2><ul>${items.join('')}</ul>`;
}

function neighbour(word, page, up) {
  if (page === undefined) return '<span></span>';
  return `<a href="${up}/${page.target}"><small>${word}</small>${escaped(page.title)}</a>`;
}

/** What the site holds, for programs that read it: a line per page, each also there as Markdown. */
export function llmsText(pages) {
  const lines = [
    '# Downbeat',
    '',
    '> A workflow orchestration server that speaks the Conductor REST API, with nothing but Redis underneath.',
    '',
    'Each page below is Markdown.',
  ];
  for (const group of groupsOf(pages)) {
    lines.push('', `## ${group}`, '');
    for (const { group: own, title, target, question } of pages) {
      if (own !== group) continue;
      const said = question === '' ? '' : `: ${question}`;
      lines.push(`- [${title}](${target.replace(/\.html$/, '.md')})${said}`);
    }
  }
  return `${lines.join('\n')}\n`;
}
