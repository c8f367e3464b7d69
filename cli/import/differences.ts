// The list of what a definition of a Conductor or Orkes server does differently on this server, as
// far as the definition itself shows it. Each entry finds its places in a definition; nothing is
// guessed from names. docs/moving/differences.md is printed from this list
// (`downbeat import --differences`), and a test holds the two together.
import { isObject, objectOf, textOf, type JsonObject } from '../shared/json.js';
import {
  expressionsIn,
  scriptsOf,
  tasksOf,
  textsOf,
  typeOf,
  type PlacedTask,
  type PlacedText,
} from './walk.js';

/** The facts of the server that things move to. */
export interface TargetFacts {
  readonly secrets: ReadonlySet<string>;
  readonly environment: ReadonlySet<string>;
}

export interface Difference {
  readonly id: string;
  /** The kind of definition that shows it. */
  readonly of: 'workflow' | 'task' | 'handler' | 'schedule';
  /** The behaviour of Conductor. */
  readonly there: string;
  /** The behaviour of this server. */
  readonly here: string;
  readonly todo: string;
  /** Paths in the definition; none: it is not concerned. */
  readonly find: (body: JsonObject, facts: TargetFacts) => string[];
}

/** Plug-ins by the task types that need them. */
const pluginOfType: Readonly<Record<string, string>> = {
  LIST_MCP_TOOLS: 'mcp',
  CALL_MCP_TOOL: 'mcp',
  KAFKA_PUBLISH: 'kafka',
  GET_DOCUMENT: 'documents',
  PARSE_DOCUMENT: 'documents',
  CHUNK_TEXT: 'documents',
  LIST_FILES: 'documents',
  GENERATE_PDF: 'documents',
  GRPC: 'grpc',
  SENDGRID: 'mail',
  OPSGENIE: 'mail',
  BUSINESS_RULE: 'rules',
  JDBC: 'sql',
};

/** Plug-ins by the first part of an event's name. */
const pluginOfEvent: Readonly<Record<string, string>> = {
  kafka: 'kafka',
  amqp: 'amqp',
  amqp_queue: 'amqp',
  amqp_exchange: 'amqp',
  nats: 'nats',
  jsm: 'nats',
  sqs: 'sqs',
};

const notCarriedOut = new Set(['AGENT', 'GET_AGENT_CARD', 'CANCEL_AGENT']);

const javaInScript =
  /\bJava\.(?:type|from|to|extend)\b|\bPackages\.|\bjavax?\.\w+\.|\b(?:JavaImporter|importPackage|importClass)\b/;

/** Methods of Java's maps, called on what `$` holds. */
const javaMethodInScript =
  /\$(?:\??\.\w+|\[[^\]]*\])*\.(?:get|getOrDefault|containsKey|containsValue|keySet|entrySet|put|remove|size)\(/;

const insideHost =
  /^(?:https?|wss?):\/\/(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|0\.0\.0\.0|\[?::1|\[?f[cd][0-9a-f]{2}:|[^/:.]+(?:[:/]|$)|[^/:]+\.(?:local|internal|svc|lan|cluster)(?:[.:/]|$))/i;

/** Places of tasks for which `test` holds. */
function where(body: JsonObject, test: (placed: PlacedTask) => boolean, field = ''): string[] {
  return tasksOf(body)
    .filter(test)
    .map(({ path }) => `${path}${field}`);
}

/** Places of scripts in which the pattern stands. */
function scriptsWith(body: JsonObject, pattern: RegExp): string[] {
  return tasksOf(body)
    .flatMap(scriptsOf)
    .filter(({ text }) => pattern.test(text))
    .map(({ path }) => path);
}

/** Texts of a workflow in which expressions count. */
function mappedTexts(body: JsonObject): PlacedText[] {
  return [
    ...tasksOf(body).flatMap(({ path, task }) => [
      ...textsOf(task['inputParameters'], `${path}.inputParameters`),
      ...textsOf(task['subWorkflowParam'], `${path}.subWorkflowParam`),
      ...textsOf(task['onStateChange'], `${path}.onStateChange`),
    ]),
    ...textsOf(body['outputParameters'], 'outputParameters'),
    ...textsOf(body['variables'], 'variables'),
  ];
}

function namesAfter(body: JsonObject, prefix: string): { path: string; name: string }[] {
  return mappedTexts(body).flatMap(({ path, text }) =>
    expressionsIn(text)
      .filter((expression) => expression.startsWith(prefix))
      .map((expression) => ({ path, name: expression.slice(prefix.length) })),
  );
}

function missing(body: JsonObject, prefix: string, known: ReadonlySet<string>): string[] {
  return namesAfter(body, prefix)
    .filter(({ name }) => !known.has(name))
    .map(({ path, name }) => `${path} (${name})`);
}

/** Names in Conductor's own expressions that an object may stand for. */
const mayBeObject =
  /\.(?:input|output|body|response|variables|result)$|^workflow\.(?:input|output)\.\w+$/;

export const differences: readonly Difference[] = [
  {
    id: 'name-with-colon',
    of: 'workflow',
    there: 'A name may hold a colon.',
    here: 'It is refused: queues and events are named after it.',
    todo: 'Rename it there first, with what names it.',
    find: (body) => (textOf(body['name']).includes(':') ? ['name'] : []),
  },
  {
    id: 'task-name-with-colon',
    of: 'task',
    there: 'A name may hold a colon.',
    here: 'It is refused: queues are named after it.',
    todo: 'Rename it there first, with its workers.',
    find: (body) => (textOf(body['name']).includes(':') ? ['name'] : []),
  },
  {
    id: 'loop-in-loop',
    of: 'workflow',
    there: 'A DO_WHILE inside a DO_WHILE registers, and its names collide.',
    here: 'It is refused.',
    todo: 'Put the inner loop into a workflow of its own (SUB_WORKFLOW).',
    find: (body) =>
      where(body, ({ task, inside }) => typeOf(task) === 'DO_WHILE' && inside.includes('DO_WHILE')),
  },
  {
    id: 'java-in-script',
    of: 'workflow',
    there: 'A script may use classes of Java (Java.type).',
    here: 'There is no Java: the script fails.',
    todo: 'Write it in JavaScript, or do it in a worker.',
    find: (body) => scriptsWith(body, javaInScript),
  },
  {
    id: 'java-method-in-script',
    of: 'workflow',
    there:
      "Maps of a script's input have the methods of Java's maps ($.m.get('a'), containsKey, keySet).",
    here: 'They are objects of JavaScript: the script fails.',
    todo: "Write $.m.a or $.m['a'], 'a' in $.m, Object.keys($.m).",
    find: (body) => scriptsWith(body, javaMethodInScript),
  },
  {
    id: 'java-in-condition',
    of: 'handler',
    there: 'A condition may use classes of Java (Java.type).',
    here: 'There is no Java: the condition fails, and the message is recorded as FAILED.',
    todo: 'Write it in JavaScript.',
    find: (body) => (javaInScript.test(textOf(body['condition'])) ? ['condition'] : []),
  },
  {
    id: 'python-script',
    of: 'workflow',
    there: 'Orkes runs scripts with the evaluator python.',
    here: 'There is no such evaluator: the task fails.',
    todo: 'Write it in JavaScript, or do it in a worker.',
    find: (body) =>
      where(body, ({ task }) =>
        [task['evaluatorType'], objectOf(task['inputParameters'])['evaluatorType']].includes(
          'python',
        ),
      ),
  },
  {
    id: 'inside-address',
    of: 'workflow',
    there: 'HTTP tasks reach loopback and private addresses.',
    here: 'They fail, unless the server allows it.',
    todo: 'Start the server with --outbound-allowed-hosts HOST,... or --outbound-allow-inside true.',
    find: (body) =>
      tasksOf(body)
        .flatMap(({ path, task }) => textsOf(task['inputParameters'], `${path}.inputParameters`))
        .filter(({ path, text }) => /\.(?:uri|url|service|host)$/i.test(path) && isInside(text))
        .map(({ path }) => path),
  },
  {
    id: 'plug-in',
    of: 'workflow',
    there: 'The server has these task types.',
    here: 'They need a plug-in; without it the task fails and says so.',
    todo: 'downbeat plugin add NAME, and start the server again.',
    find: (body) =>
      tasksOf(body).flatMap(({ path, task }) => {
        const plugin = pluginOfType[typeOf(task)];
        return plugin === undefined ? [] : [`${path} (${plugin})`];
      }),
  },
  {
    id: 'broker',
    of: 'handler',
    there: 'The broker is configured in the properties of the server.',
    here: 'It needs a plug-in, and the broker is stored as an integration.',
    todo: 'downbeat plugin add NAME, start the server again, and store the broker (docs/events.md).',
    find: (body: JsonObject): string[] => {
      const plugin = pluginOfEvent[textOf(body['event']).split(':')[0] ?? ''];
      return plugin === undefined ? [] : [`event (${plugin})`];
    },
  },
  {
    id: 'type-not-carried-out',
    of: 'workflow',
    there: 'Agents are tasks of the server.',
    here: 'The definition is kept; a task of the type fails with a reason.',
    todo: 'Do it with LLM_CHAT_COMPLETE and CALL_MCP_TOOL, or in a worker.',
    find: (body) => where(body, ({ task }) => notCarriedOut.has(typeOf(task))),
  },
  {
    id: 'yield',
    of: 'workflow',
    there: 'The open-source server takes YIELD for a task of a worker.',
    here: 'It waits for a signal, as on Orkes.',
    todo: 'Where a worker polls for it, give it the type SIMPLE.',
    find: (body) => where(body, ({ task }) => typeOf(task) === 'YIELD'),
  },
  {
    id: 'object-in-text',
    of: 'workflow',
    there: 'An object inside a longer text is written as Java does: {a=1}.',
    here: 'It is written as JSON: {"a":1}. Texts and numbers are written alike.',
    todo: 'If the value is an object and its reader wants the old form: --objects-in-text java.',
    find: (body) =>
      mappedTexts(body)
        .filter(({ path }) => !/\.(?:uri|url)$/i.test(path))
        .filter(({ text }) =>
          expressionsIn(text).some(
            (inner) => mayBeObject.test(inner) && text.trim() !== `\${${inner}}`,
          ),
        )
        .map(({ path }) => path),
  },
  {
    id: 'http-failure',
    of: 'workflow',
    there: 'output.response of a failed HTTP task is a text on the open-source server.',
    here: 'It is the answer (statusCode, headers, body), as on Orkes; the text is the reason.',
    todo: 'Look at what reads the response of an HTTP task that may fail.',
    find: (body: JsonObject): string[] => {
      const failing = tasksOf(body).filter(
        ({ task }) => typeOf(task) === 'HTTP' && task['optional'] === true,
      );
      const names = failing.map(({ task }) => textOf(task['taskReferenceName']));
      return mappedTexts(body)
        .filter(({ text }) =>
          expressionsIn(text).some((inner) =>
            names.some((name) => inner.startsWith(`${name}.output.response`)),
          ),
        )
        .map(({ path }) => path);
    },
  },
  {
    id: 'timeout-while-waiting',
    of: 'workflow',
    there: 'timeoutSeconds is not enforced while a WAIT or HUMAN task is in progress.',
    here: 'It is enforced at its time.',
    todo: 'Raise timeoutSeconds above the longest wait.',
    find: (body) =>
      Number(body['timeoutSeconds']) > 0 &&
      where(body, ({ task }) => ['WAIT', 'HUMAN'].includes(typeOf(task))).length > 0
        ? ['timeoutSeconds']
        : [],
  },
  {
    id: 'state-events',
    of: 'workflow',
    there: 'The open-source server stores onStateChange and does nothing with it.',
    here: 'Its events are published, as on Orkes.',
    todo: 'Take it out where nobody wants the events.',
    find: (body) =>
      where(body, ({ task }) => Object.keys(objectOf(task['onStateChange'])).length > 0).map(
        (path) => `${path}.onStateChange`,
      ),
  },
  {
    id: 'start-limit',
    of: 'workflow',
    there: 'The open-source server does not enforce rateLimitConfig.',
    here: 'It is enforced, as on Orkes.',
    todo: 'Take it out, or set the limit that you want.',
    find: (body) => (isObject(body['rateLimitConfig']) ? ['rateLimitConfig'] : []),
  },
  {
    id: 'cached-output',
    of: 'workflow',
    there: 'Orkes answers a task from the cache that cacheConfig describes.',
    here: 'cacheConfig is stored; the task runs each time.',
    todo: 'Let the worker keep what is costly to compute.',
    find: (body) =>
      where(body, ({ task }) => isObject(task['cacheConfig'])).map((path) => `${path}.cacheConfig`),
  },
  {
    id: 'status-listener',
    of: 'workflow',
    there: 'Changes of status go to the listener in the properties of the server.',
    here: 'They go to the webhooks and listeners that are stored for the name.',
    todo: 'Store one (docs/outgoing.md).',
    find: (body) =>
      body['workflowStatusListenerEnabled'] === true ? ['workflowStatusListenerEnabled'] : [],
  },
  {
    id: 'missing-secret',
    of: 'workflow',
    there: 'The open-source server leaves the text as it is; Orkes writes an empty text.',
    here: 'A task that names an unknown secret fails for good.',
    todo: 'printf %s "$VALUE" | downbeat secret set NAME',
    find: (body, { secrets }) => missing(body, 'workflow.secrets.', secrets),
  },
  {
    id: 'missing-variable',
    of: 'workflow',
    there: 'Names of the environment are those that the other server has.',
    here: 'Only variables that are stored here, and those of --environment-names.',
    todo: 'Store it: PUT /api/environment/NAME.',
    find: (body, { environment }) => missing(body, 'workflow.env.', environment),
  },
  {
    id: 'process-environment',
    of: 'workflow',
    there: '${NAME} is the variable NAME in the environment of the process.',
    here: 'Only CPEWF_TASK_ID, and the names of the setting environmentNames.',
    todo: 'Start the server with --environment-names NAME,...',
    find: (body) =>
      mappedTexts(body).flatMap(({ path, text }) =>
        expressionsIn(text)
          .filter((inner) => /^[A-Z][A-Z0-9_]+$/.test(inner) && inner !== 'CPEWF_TASK_ID')
          .map((name) => `${path} (${name})`),
      ),
  },
  {
    id: 'child-key',
    of: 'workflow',
    there: 'The open-source server ignores idempotency keys.',
    here: 'They count: a second start with a key that is in use gets the first execution, or fails.',
    todo: 'Look whether the key differs where a new execution is wanted.',
    find: (body) =>
      tasksOf(body).flatMap(({ path, task }) => {
        const started = objectOf(objectOf(task['inputParameters'])['startWorkflow']);
        const child = objectOf(task['subWorkflowParam']);
        return [
          ...(textOf(child['idempotencyKey']) === '' ? [] : [`${path}.subWorkflowParam`]),
          ...(textOf(started['idempotencyKey']) === '' ? [] : [`${path}.inputParameters`]),
        ].map((at) => `${at}.idempotencyKey`);
      }),
  },
  {
    id: 'schedule-key',
    of: 'schedule',
    there: 'The open-source server ignores the idempotency key of a start.',
    here: 'It counts: with one key for all times, only the first start makes an execution.',
    todo: 'Take the key out; each due time starts one execution without it.',
    find: (body) =>
      textOf(objectOf(body['startWorkflowRequest'])['idempotencyKey']) === ''
        ? []
        : ['startWorkflowRequest.idempotencyKey'],
  },
  {
    id: 'schedule-name',
    of: 'schedule',
    there: 'A name may hold any character; with a colon the schedule may never run.',
    here: 'It may hold letters, digits, blanks, _ - and the dot; others are refused.',
    todo: 'Rename it.',
    find: (body) => (/[^\p{L}\p{N}_.\- ]/u.test(textOf(body['name'])) ? ['name'] : []),
  },
  {
    id: 'catch-up-end',
    of: 'schedule',
    there: 'Missed times are caught up also beyond scheduleEndTime.',
    here: 'They are caught up until scheduleEndTime.',
    todo: 'Nothing, where that is what you want.',
    find: (body) =>
      body['runCatchupScheduleInstances'] === true && Number(body['scheduleEndTime']) > 0
        ? ['runCatchupScheduleInstances']
        : [],
  },
  {
    id: 'limit-at-once',
    of: 'task',
    there: 'A task that meets a limit is put off by 60 seconds.',
    here: 'It is handed out as soon as the limit has room.',
    todo: 'Nothing, where the limit itself is right.',
    find: (body) =>
      ['concurrentExecLimit', 'rateLimitPerFrequency'].filter((name) => Number(body[name]) > 0),
  },
  {
    id: 'isolated-queue',
    of: 'task',
    there: 'Tasks with an isolation group lie in a queue of their own.',
    here: 'The group is stored; the tasks lie in the ordinary queue, and any worker gets them.',
    todo: 'Use a task domain where some workers are to get them.',
    find: (body) =>
      ['isolationGroupId', 'executionNameSpace'].filter((name) => textOf(body[name]) !== ''),
  },
];

function isInside(text: string): boolean {
  return insideHost.test(text) && !/^\w+:\/\/\$\{/.test(text);
}

/** One difference of one definition. */
export interface Found {
  readonly difference: Difference;
  readonly places: readonly string[];
}

export function differencesOf(kind: string, body: JsonObject, facts: TargetFacts): Found[] {
  return differences
    .filter(({ of }) => of === kind)
    .map((difference) => ({ difference, places: difference.find(body, facts) }))
    .filter(({ places }) => places.length > 0);
}

/** A bar ends a cell. */
function inCell(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** The list as a page of the handbook. */
export function differencesPage(): string {
  const rows = differences.map(
    ({ id, of, there, here, todo }) =>
      `| \`${id}\` | ${[of, there, here, todo].map(inCell).join(' | ')} |`,
  );
  return [
    '# What definitions do differently here',
    '',
    'This page is printed by `downbeat import --differences`; `downbeat import` checks each definition against the same list and names the',
    'places. Where the open-source server and Orkes differ from each other, the entry says which one it means.',
    '',
    '| name | found in | Conductor | Downbeat | what to do |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
