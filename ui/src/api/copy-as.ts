// One request as commands and code that people can run elsewhere.
import { basePath, type Method } from './client';

export interface Call {
  readonly method: Method;
  /** Below the base path, with its query. */
  readonly path: string;
  readonly body?: unknown;
}

export const copyForms = ['curl', 'JavaScript', 'Python'] as const;
export type CopyForm = (typeof copyForms)[number];

export function copyAs(form: CopyForm, call: Call): string {
  const url = new URL(basePath + call.path.replace(/^\//, ''), location.origin).href;
  const text = call.body === undefined ? undefined : JSON.stringify(call.body);
  if (form === 'curl') return curl(call.method, url, text);
  if (form === 'JavaScript') return javaScript(call.method, url, text);
  return python(call.method, url, text);
}

function curl(method: Method, url: string, text: string | undefined): string {
  const verb = method === 'GET' ? '' : ` -X ${method}`;
  const sent = text === undefined ? '' : ` -H 'content-type: application/json' -d ${quoted(text)}`;
  return `curl${verb} ${quoted(url)}${sent}`;
}

function javaScript(method: Method, url: string, text: string | undefined): string {
  const sent =
    text === undefined
      ? ''
      : `,\n  headers: { 'content-type': 'application/json' },\n  body: JSON.stringify(${text})`;
  return `const answer = await fetch(${JSON.stringify(url)}, {\n  method: '${method}'${sent},\n});\nconsole.log(await answer.json());`;
}

function python(method: Method, url: string, text: string | undefined): string {
  const sent = text === undefined ? '' : `, json=json.loads(${JSON.stringify(text)})`;
  return `import json, requests\n\nanswer = requests.request("${method}", ${JSON.stringify(url)}${sent})\nprint(answer.text)`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
