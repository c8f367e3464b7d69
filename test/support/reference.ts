// Generates the parts of the reference that only restate the code: errors, limits, and the tables
// of settings and of metrics. A test compares them with the written ones, and writes them anew
// (test/structure/reference.test.ts).
import type { Endpoint } from '../../src/api/endpoint.js';
import { idleSeconds, urlBytesMax } from '../../src/api/http-limits.js';
import { statusOfKind } from '../../src/api/errors.js';
import { AppError, type ErrorKind } from '../../src/model/errors.js';
import { toFlag, toVariable } from '../../src/server/config.js';
import { everyMetric } from '../../src/server/every-metric.js';
import { settingsGroups } from '../../src/server/settings-table.js';
import type { Setting } from '../../src/settings/setting.js';

/** For each kind of refusal: when it is answered, and what a client does then. */
const meanings: Readonly<Record<ErrorKind, readonly [when: string, then: string]>> = {
  'bad-request': ['The request breaks a rule; the message names the field and the rule', 'mend it'],
  validation: [
    'A definition breaks rules; `validationErrors` lists all of them, each with its path',
    'mend each of them',
  ],
  unauthenticated: [
    'There is no token, or it has ended; `error` says which of them',
    'get a new token',
  ],
  forbidden: ['The caller lacks a right; the message names it and the resource', 'ask for a grant'],
  'not-found': ['Nothing has this name or id, or the caller may not know of it', 'check the name'],
  'method-not-allowed': ['The path exists, and not with this method', 'use another method'],
  conflict: ['The state does not allow it, such as a name that is taken', 'read the state first'],
  'too-large': ['The body is larger than this server accepts', 'send less, or by a payload URL'],
  'too-many': ['A quota of the caller, a definition or the node is used up', 'wait `Retry-After`'],
  'bad-gateway': ['Another system that the server asked has failed', 'try again later'],
  unavailable: ['The node or Redis cannot serve now; nothing was changed', 'wait `Retry-After`'],
  'unknown-outcome': [
    'Redis did not answer in time, so the change may have been stored',
    'repeat it with the same idempotency key or task id',
  ],
  internal: ['A defect of this server, logged under the id in the message', 'report it'],
};

/** docs/errors.md: the kinds of refusals in the order of their statuses. */
export function errorsPage(endpoints: readonly Endpoint[]): string {
  const kinds = (Object.keys(meanings) as ErrorKind[])
    .map((kind) => ({ kind, status: statusOfKind(kind) }))
    .sort((a, b) => a.status - b.status);
  const rows = kinds.map(({ kind, status }) => {
    const [when, then] = meanings[kind];
    return `| ${status} | ${kind} | ${when} | ${then} | ${repetition(new AppError(kind, ''))} |`;
  });
  return `# Errors

${generated}
A refusal is an answer with the body of [contract-core](contract-core.md) section 2: \`status\`, \`message\`, \`instance\` (the node) and \`retryable\`. ${endpoints.length} endpoints answer with these kinds, and the
API description at \`/api-docs\` lists for each endpoint those that it sends.

| status | kind | when | what a client does | the same request again |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

function repetition(error: AppError): string {
  if (error.isTransient) return 'may succeed';
  return error.isFinal ? 'is refused again' : 'unknown';
}

/** docs/limits.md: each setting that bounds a size, a count, a depth or a time. */
export function limitsPage(): string {
  const groups = settingsGroups.flatMap(({ title, settings }) => {
    const rows = Object.entries<Setting<unknown>>(settings)
      .filter(([name, { kind }]) => kind === 'integer' && /(?:Max|Min)$/.test(name))
      .map(
        ([name, setting]) =>
          `| \`--${toFlag(name)}\` | ${setting.about} | ${defaultOf(name, setting)} | ${bounds(setting)} |`,
      );
    if (rows.length === 0) return [];
    return [
      `## ${title}\n\n| setting | what it bounds | default | from | to |\n|---|---|---|---|---|\n${rows.join('\n')}\n`,
    ];
  });
  return `# Limits

${generated}
Each is a setting ([settings.md](settings.md)). Fixed are the length of an address (${urlBytesMax} bytes of path and query, else 414) and the time after which
a connection without a request is closed (${idleSeconds} s).

${groups.join('\n')}`;
}

/** docs/settings.md, `page`, with the tables of the settings as they are. */
export function settingsPage(page: string): string {
  return withTables(
    page,
    settingsGroups.map(({ settings }) =>
      Object.entries<Setting<unknown>>(settings).map(([name, setting]) => [
        name,
        `\`--${toFlag(name)}\``,
        `\`${toVariable(name)}\`${name === 'redisUrl' ? ' or `REDIS_URL`' : ''}`,
        defaultOf(name, setting),
        meaningOf(setting),
      ]),
    ),
  );
}

/** docs/metrics.md, `page`, with the table of the metrics as they are. */
export function metricsPage(page: string): string {
  return withTables(page, [
    everyMetric.map(({ name, kind, help, label, labels }) => {
      const names = labels ?? (label === undefined ? [] : [label]);
      const by = names.length === 0 ? '' : ` by ${names.join(', ')}`;
      return [`\`${name}\`${by}`, kind, help];
    }),
  ]);
}

/** The page with the rows of its tables, in order, in place of those that stand there. */
function withTables(page: string, tables: readonly (readonly (readonly string[])[])[]): string {
  let next = 0;
  const written = page.replaceAll(/^(\|(?:---\|)+\n)(?:\|.*\n)*/gm, (_all, head: string) => {
    const rows = tables[next++] ?? [];
    return `${head}${rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('')}`;
  });
  if (next === tables.length) return written;
  throw new Error(`the page has ${next} tables, and there are ${tables.length}`);
}

/** Defaults that depend on the machine. */
const ofTheMachine: Readonly<Record<string, string>> = {
  actorBytesMax: '1 GiB, at most 30 % of the heap',
  uncommittedBytesMax: '128 MiB, at most 10 % of the heap, at least 32 MiB',
  unfinishedBodyBytesMax: '256 MiB, at most 20 % of the heap, at least 64 MiB',
};

function defaultOf(name: string, { default: value }: Setting<unknown>): string {
  return (ofTheMachine[name] ?? String(value)) || 'none';
}

/** Pages of the handbook that it names are links. */
function meaningOf({ about, oneOf }: Setting<unknown>): string {
  const linked = about.replaceAll(/docs\/([\w-]+\.md)/g, '[$1]($1)');
  return oneOf === undefined ? linked : `${linked} (${oneOf.join(', ')})`;
}

const generated =
  'This page is generated from the code: `npx vitest run --project unit test/structure/reference.test.ts --update` writes it, and a test holds it in step.\n';

function bounds({ min, max }: Setting<unknown>): string {
  const end = max === undefined || max === Number.MAX_SAFE_INTEGER ? 'any' : String(max);
  return `${min ?? 'any'} | ${end}`;
}
