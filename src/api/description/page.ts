// The description of the API as a page for people: one document without scripts and without
// anything from elsewhere. It shows what the OpenAPI document says.
import { createHash } from 'node:crypto';
import type { Json, JsonMap } from '../../model/json.js';
import { textFrom } from '../../model/json-text.js';

/** The sources from which a browser may load for the page: its style and nothing else. */
export function pagePolicy(): string {
  const hash = createHash('sha256').update(style).digest('base64');
  return `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
}

const style = `
:root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 20px; } h2 { font-size: 16px; margin-top: 2rem; }
code, .path { font-family: ui-monospace, monospace; }
nav a { margin-right: 1rem; }
details { border-top: 1px solid light-dark(#d5dae0, #333a43); padding: 4px 0; }
summary { cursor: pointer; } summary .say { opacity: .75; }
.method { display: inline-block; min-width: 4.5rem; font-weight: 600; }
table { border-collapse: collapse; margin: 4px 0 12px; width: 100%; }
td, th { text-align: left; vertical-align: top; padding: 2px 12px 2px 0; }
th { font-weight: 600; }
`;

/** HTML of the page. `doc`: an OpenAPI document of `describeApi`. */
export function describePage(doc: JsonMap): string {
  const info = mapOf(doc['info']);
  const areas = listOf(doc['tags']).map((tag) => textFrom(mapOf(tag)['name']));
  const operations = operationsOf(doc);
  const schemas = mapOf(mapOf(doc['components'])['schemas']);
  const body = [
    `<h1>${escaped(info['title'])} ${escaped(info['version'])}</h1>`,
    `<p>${escaped(info['description'])} <a href="api-docs.json">OpenAPI 3.1 as JSON</a></p>`,
    `<nav>${areas.map((area) => link(`area-${area}`, area)).join('')}${link('forms', 'Forms')}</nav>`,
    ...areas.map((area) => areaHtml(area, operations)),
    '<h2 id="forms">Forms</h2>',
    ...Object.keys(schemas).map((title) => formHtml(title, mapOf(schemas[title]))),
  ].join('\n');
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width">' +
    `<title>${escaped(info['title'])} API</title><style>${style}</style></head>` +
    `<body>\n${body}\n</body></html>\n`
  );
}

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly about: JsonMap;
}

function operationsOf(doc: JsonMap): Operation[] {
  const paths = mapOf(doc['paths']);
  return Object.keys(paths).flatMap((path) => {
    const item = mapOf(paths[path]);
    return Object.keys(item).map((method) => ({
      method: method.toUpperCase(),
      path,
      about: mapOf(item[method]),
    }));
  });
}

function areaHtml(area: string, operations: readonly Operation[]): string {
  const own = operations.filter(({ about }) => listOf(about['tags']).includes(area));
  return `<h2 id="area-${escaped(area)}">${escaped(area)}</h2>\n${own.map(operationHtml).join('\n')}`;
}

function operationHtml({ method, path, about }: Operation): string {
  const parts = [
    `<p>${escaped(about['description'])} <code>${escaped(about['operationId'])}</code></p>`,
    parametersHtml(listOf(about['parameters'])),
    bodyHtml(about['requestBody']),
    repliesHtml(mapOf(about['responses'])),
  ];
  return (
    `<details id="${escaped(about['operationId'])}"><summary><span class="method">${method}</span>` +
    `<span class="path">${escaped(path)}</span> <span class="say">${escaped(about['summary'])}</span>` +
    `</summary>${parts.join('')}</details>`
  );
}

function parametersHtml(parameters: readonly Json[]): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(mapOf).map((parameter) => {
    const schema = mapOf(parameter['schema']);
    const about = parameter['description'] ?? schema['description'] ?? '';
    const place = `${textFrom(parameter['in'])}${parameter['required'] === true ? ', required' : ''}`;
    return [code(parameter['name']), place, typeHtml(schema), escaped(about)];
  });
  return tableHtml(['Parameter', 'In', 'Type', ''], rows);
}

function bodyHtml(body: Json | undefined): string {
  if (body === undefined) return '';
  const rows = contentRows(mapOf(mapOf(body)['content']));
  return tableHtml(['Body', 'Type'], rows);
}

function repliesHtml(responses: JsonMap): string {
  const rows = Object.keys(responses).map((status) => {
    const reply = mapOf(responses[status]);
    const content = contentRows(mapOf(reply['content'] ?? {}));
    const shown = content.map(([type = '', form = '']) => `${type} ${form}`).join(', ');
    const headers = ownHeaders(reply).map(code).join(', ');
    return [escaped(status), escaped(reply['description']), shown, headers];
  });
  return tableHtml(['Reply', '', 'Body', 'Headers'], rows);
}

/** Those that not every reply has. */
function ownHeaders(reply: JsonMap): string[] {
  return Object.keys(mapOf(reply['headers'] ?? {})).filter((name) => name !== 'X-Request-Id');
}

function contentRows(content: JsonMap): string[][] {
  return Object.keys(content).map((type) => [
    escaped(type),
    typeHtml(mapOf(mapOf(content[type])['schema'])),
  ]);
}

function formHtml(title: string, schema: JsonMap): string {
  const properties = mapOf(schema['properties'] ?? {});
  const required = listOf(schema['required'] ?? []);
  const rows = Object.keys(properties).map((name) => {
    const member = mapOf(properties[name]);
    return [
      code(name) + (required.includes(name) ? ' *' : ''),
      typeHtml(member),
      escaped(member['description'] ?? ''),
    ];
  });
  const table = tableHtml(['Member', 'Type', ''], rows);
  return `<details id="form-${escaped(title)}"><summary><code>${escaped(title)}</code></summary>${table}</details>`;
}

/** A schema in a few words, with a link to its form. */
function typeHtml(schema: JsonMap): string {
  const ref = schema['$ref'];
  if (typeof ref === 'string') {
    const title = ref.slice(ref.lastIndexOf('/') + 1);
    return link(`form-${title}`, title);
  }
  const { enum: values, items, anyOf, additionalProperties: others, type = 'any' } = schema;
  if (values !== undefined) return listOf(values).map(code).join(' ');
  if (items !== undefined) return `list of ${typeHtml(mapOf(items))}`;
  if (anyOf !== undefined)
    return listOf(anyOf)
      .map((each) => typeHtml(mapOf(each)))
      .join(' or ');
  if (others !== undefined && typeof others === 'object')
    return `map of ${typeHtml(mapOf(others))}`;
  return escaped(Array.isArray(type) ? type.map(textFrom).join(' or ') : type);
}

/** The cells are HTML. */
function tableHtml(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map((each) => `<th>${each}</th>`).join('');
  const lines = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
  return `<table><tr>${head}</tr>${lines.join('')}</table>`;
}

function link(anchor: string, label: string): string {
  return `<a href="#${escaped(anchor)}">${escaped(label)}</a> `;
}

function code(value: Json | undefined): string {
  return `<code>${escaped(value)}</code>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function escaped(value: Json | undefined): string {
  const shown = typeof value === 'string' ? value : JSON.stringify(value ?? '');
  return shown.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}

function mapOf(value: Json | undefined): JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
