// Markdown of the handbook to HTML: headings get anchors, links between pages lead to their HTML,
// pictures go along, and what is no page of the site is shown as the path that it is.
import path from 'node:path';
import { Marked } from 'marked';

/**
 * One page as HTML. `pages`: all pages, by source. Returns the `html`, its `headings` (`depth`,
 * `text`, `anchor`), its `links` into pages (`target` source, `anchor`), its `pictures` (paths in the
 * project) and its `sections` for the search (`anchor`, `heading`, `text`).
 */
export function renderPage({ source, text, target }, pages) {
  const headings = [];
  const links = [];
  const pictures = [];
  const taken = new Map();
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      heading({ tokens, depth, raw }) {
        const html = this.parser.parseInline(tokens);
        const anchor = anchorOf(textOf(html), taken);
        headings.push({ depth, text: textOf(html), anchor, raw });
        const link = `<a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`;
        return `<h${depth} id="${anchor}">${html}${depth === 1 ? '' : ` ${link}`}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const html = this.parser.parseInline(tokens);
        if (/^[a-z]+:/i.test(href))
          return `<a href="${escaped(href)}" rel="noreferrer">${html}</a>`;
        const [file, anchor = ''] = href.split('#');
        const wanted = file === '' ? source : path.posix.join(path.posix.dirname(source), file);
        const page = pages.get(wanted);
        if (page === undefined) return `<code title="${escaped(wanted)}">${html}</code>`;
        links.push({ target: wanted, anchor });
        const to = path.posix.relative(path.posix.dirname(target), page.target);
        return `<a href="${file === '' ? '' : escaped(to)}${anchor === '' ? '' : `#${anchor}`}">${html}</a>`;
      },
      image({ href, text: alt }) {
        const file = path.posix.join(path.posix.dirname(source), href);
        pictures.push(file);
        const to = path.posix.relative(path.posix.dirname(target), pictureTarget(file));
        return `<img src="${escaped(to)}" alt="${escaped(alt)}" loading="lazy">`;
      },
      table(token) {
        const cells = (row, tag) =>
          row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('');
        const rows = token.rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n');
        const head = `<thead><tr>${cells(token.header, 'th')}</tr></thead>`;
        return `<div class="wide" tabindex="0" role="region" aria-label="Table"><table>${head}<tbody>${rows}</tbody></table></div>\n`;
      },
      code({ text: code, lang }) {
        return `<pre tabindex="0"><code${lang ? ` data-language="${escaped(lang)}"` : ''}>${escaped(code)}</code></pre>\n`;
      },
      html({ text: raw }) {
        return escaped(raw);
      },
    },
  });
  const html = marked.parse(text);
  return { html, headings, links, pictures, sections: sectionsOf(html) };
}

/** Path in the site of a picture of the project. */
export function pictureTarget(file) {
  return `pictures/${path.posix.basename(file)}`;
}

/** As code hosts make anchors: small letters, no punctuation, a dash per blank, a number for more. */
function anchorOf(heading, taken) {
  const base = heading
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
  const count = taken.get(base) ?? 0;
  taken.set(base, count + 1);
  return count === 0 ? base : `${base}-${count}`;
}

function sectionsOf(html) {
  const parts = html.split(/<h[1-6] id="([^"]*)">(.*?)<\/h[1-6]>/s);
  const sections = [];
  for (let at = 1; at < parts.length; at += 3) {
    const [anchor, heading, body] = parts.slice(at, at + 3);
    sections.push({
      anchor,
      heading: textOf(heading).replace(/ #$/, ''),
      text: textOf(body).replaceAll(/\s+/g, ' ').trim(),
    });
  }
  return sections;
}

const entities = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };

/** The text of a piece of HTML that this module has made. */
function textOf(html) {
  const bare = html.replaceAll(/<[^>]*>/g, '');
  return bare.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity]);
}

export function escaped(text) {
  const marks = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replaceAll(/[&<>"]/g, (mark) => marks[mark]);
}
