// The search of the handbook: the index is fetched with the first letter, "/" leads to the box, arrows
// and Enter choose.
import MiniSearch from './minisearch.js';
import { searchOptions, searchQuery } from './search-options.js';

const shownMax = 12;
const up = document.querySelector('script[data-up]').dataset.up;
const box = document.getElementById('search');
const found = document.getElementById('found');
let index;
let chosen = -1;

box.addEventListener('input', () => void show());
box.form.addEventListener('submit', (event) => event.preventDefault());
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && !/^(input|textarea)$/i.test(event.target.tagName)) {
    event.preventDefault();
    box.focus();
  }
  if (event.key === 'Escape') hide();
});
box.addEventListener('keydown', (event) => {
  const items = [...found.querySelectorAll('a')];
  if (event.key === 'ArrowDown') choose(items, chosen + 1);
  else if (event.key === 'ArrowUp') choose(items, chosen - 1);
  else if (event.key === 'Enter') (items[chosen] ?? items[0])?.click();
  else return;
  event.preventDefault();
});
document.addEventListener('click', (event) => {
  if (!found.contains(event.target) && event.target !== box) hide();
});

async function show() {
  const words = box.value.trim();
  if (words === '') return hide();
  index ??= fetch(`${up}/search.json`)
    .then((answer) => answer.text())
    .then((text) => MiniSearch.loadJSON(text, searchOptions));
  const results = (await index).search(words, searchQuery).slice(0, shownMax);
  if (box.value.trim() !== words) return;
  found.replaceChildren(...(results.length === 0 ? [nothing()] : results.map(line)));
  found.hidden = false;
  chosen = -1;
}

function line({ id, page, heading, excerpt }) {
  const link = document.createElement('a');
  link.href = `${up}/${id}`;
  link.setAttribute('role', 'option');
  const parts = [
    ['strong', heading === page ? page : `${page} › ${heading}`],
    ['span', excerpt],
  ];
  for (const [tag, text] of parts) {
    const element = document.createElement(tag);
    element.textContent = text;
    link.append(element);
  }
  link.addEventListener('click', hide);
  return link;
}

function nothing() {
  const element = document.createElement('p');
  element.textContent = 'Nothing found.';
  return element;
}

function choose(items, at) {
  chosen = Math.max(0, Math.min(items.length - 1, at));
  items.forEach((item, index) => item.toggleAttribute('data-chosen', index === chosen));
  items[chosen]?.scrollIntoView({ block: 'nearest' });
}

function hide() {
  found.hidden = true;
}
