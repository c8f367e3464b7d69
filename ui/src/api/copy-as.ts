// One request as a command or as code that runs elsewhere: curl always, the field's command line
// and its SDKs where they have it, else plain requests.
import { basePath, type Method } from './client';

export interface Call {
  readonly method: Method;
  /** Below the base path, with its query. */
  readonly path: string;
  readonly body?: unknown;
}

export type CopyForm = 'curl' | 'CLI' | 'JavaScript' | 'Python';

/** The calls that the SDKs have a method for. */
type Known =
  | { readonly kind: 'start'; readonly request: Readonly<Record<string, unknown>> }
  | { readonly kind: 'execution'; readonly id: string }
  | { readonly kind: 'definition'; readonly name: string; readonly version: string };

/** Address of the server, without a slash at its end. */
const server = new URL(basePath, location.origin).href.replace(/\/$/, '');

/** By form; without those that cannot say it. `needsToken`: the server asks who calls. */
export function copyTexts(call: Call, needsToken: boolean): ReadonlyMap<CopyForm, string> {
  const known = knownOf(call);
  const cli = known === undefined ? undefined : commandLine(known);
  return new Map<CopyForm, string>([
    ['curl', curl(call, needsToken)],
    ...(cli === undefined ? [] : [['CLI', cli] as const]),
    ['JavaScript', known === undefined ? fetchCode(call, needsToken) : javaScript(known)],
    ['Python', known === undefined ? requestsCode(call, needsToken) : python(known)],
  ]);
}

function knownOf({ method, path, body }: Call): Known | undefined {
  const [place = '', query = ''] = path.split('?');
  if (method === 'POST' && place === '/api/workflow') {
    return { kind: 'start', request: body as Record<string, unknown> };
  }
  const id = /^\/api\/workflow\/([^/]+)\/outline$/.exec(place)?.[1];
  if (method === 'GET' && id !== undefined) return { kind: 'execution', id };
  const name = /^\/api\/metadata\/workflow\/([^/]+)$/.exec(place)?.[1];
  const version = new URLSearchParams(query).get('version') ?? '';
  if (method !== 'GET' || name === undefined || !/^\d+$/.test(version)) return undefined;
  return { kind: 'definition', name: decodeURIComponent(name), version };
}

function urlOf({ path }: Call): string {
  return `${server}/${path.replace(/^\//, '')}`;
}

function curl(call: Call, needsToken: boolean): string {
  const verb = call.method === 'GET' ? '' : ` -X ${call.method}`;
  const token = needsToken ? ' -H "X-Authorization: $TOKEN"' : '';
  const sent =
    call.body === undefined
      ? ''
      : ` -H 'content-type: application/json' -d ${quoted(JSON.stringify(call.body))}`;
  return `curl${verb}${token} ${quoted(urlOf(call))}${sent}`;
}

/** Fields of a start that the command line takes. */
const startFlags = ['name', 'version', 'input'];

function commandLine(known: Known): string | undefined {
  const prefix = `CONDUCTOR_SERVER_URL=${quoted(`${server}/api`)} conductor workflow`;
  switch (known.kind) {
    case 'start': {
      const { name, version, input } = known.request;
      if (Object.keys(known.request).some((field) => !startFlags.includes(field))) return undefined;
      const chosen = typeof version === 'number' ? ` --version ${version}` : '';
      return `${prefix} start -w ${quoted(String(name))}${chosen} -i ${quoted(JSON.stringify(input ?? {}))}`;
    }
    case 'definition':
      return `${prefix} get ${quoted(known.name)} ${known.version}`;
    case 'execution':
      return undefined;
  }
}

function javaScript(known: Known): string {
  return [
    "import { OrkesClients } from '@io-orkes/conductor-javascript';",
    '',
    `const clients = await OrkesClients.from({ serverUrl: ${JSON.stringify(server)} });`,
    `const answer = await clients.${javaScriptCall(known)};`,
    'console.log(answer);',
  ].join('\n');
}

function javaScriptCall(known: Known): string {
  switch (known.kind) {
    case 'start':
      return `getWorkflowClient().startWorkflow(${JSON.stringify(known.request, undefined, 2)})`;
    case 'execution':
      return `getWorkflowClient().getExecution(${JSON.stringify(known.id)})`;
    case 'definition':
      return `getMetadataClient().getWorkflowDef(${JSON.stringify(known.name)}, ${known.version})`;
  }
}

function python(known: Known): string {
  const isStart = known.kind === 'start';
  return [
    ...(isStart ? ['import json', ''] : []),
    'from conductor.client.configuration.configuration import Configuration',
    ...(isStart ? ['from conductor.client.http.models import StartWorkflowRequest'] : []),
    'from conductor.client.orkes_clients import OrkesClients',
    '',
    `clients = OrkesClients(Configuration(server_api_url=${JSON.stringify(`${server}/api`)}))`,
    ...pythonCall(known),
    'print(answer)',
  ].join('\n');
}

function pythonCall(known: Known): readonly string[] {
  switch (known.kind) {
    case 'start': {
      const fields = Object.entries(known.request).map(
        ([name, value]) =>
          `    ${snakeCase(name)}=json.loads(${JSON.stringify(JSON.stringify(value))}),`,
      );
      return [
        'request = StartWorkflowRequest(',
        ...fields,
        ')',
        'answer = clients.get_workflow_client().start_workflow(request)',
      ];
    }
    case 'execution':
      return [`answer = clients.get_workflow_client().get_workflow(${JSON.stringify(known.id)})`];
    case 'definition': {
      const named = `${JSON.stringify(known.name)}, version=${known.version}`;
      return [`answer = clients.get_metadata_client().get_workflow_def(${named})`];
    }
  }
}

const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function fetchCode(call: Call, needsToken: boolean): string {
  const headers = [
    ...(needsToken ? ["'X-Authorization': process.env.TOKEN"] : []),
    ...(call.body === undefined ? [] : ["'content-type': 'application/json'"]),
  ];
  const lines = [
    ...(call.method === 'GET' ? [] : [`  method: '${call.method}',`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(call.body === undefined ? [] : [`  body: JSON.stringify(${JSON.stringify(call.body)}),`]),
  ];
  const options = lines.length === 0 ? '' : `, {\n${lines.join('\n')}\n}`;
  return `const answer = await fetch(${JSON.stringify(urlOf(call))}${options});\nconsole.log(await answer.text());`;
}

function requestsCode(call: Call, needsToken: boolean): string {
  const options = [
    ...(needsToken ? ['headers={"X-Authorization": os.environ["TOKEN"]}'] : []),
    ...(call.body === undefined
      ? []
      : [`json=json.loads(${JSON.stringify(JSON.stringify(call.body))})`]),
  ];
  const asked = [`"${call.method}"`, JSON.stringify(urlOf(call)), ...options].join(', ');
  return `import json, os, requests\n\nanswer = requests.request(${asked})\nprint(answer.text)`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
