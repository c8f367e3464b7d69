// Every setting of the server: name, default, unit and check in one table. docs/settings.md lists
// the same; a test keeps the two in step. config.ts reads the values.
import { getHeapStatistics } from 'node:v8';
import { retentionSecondsMax } from './model/retention.js';

const gibibyte = 1024 ** 3;
const mebibyte = 1024 ** 2;

type Kind = 'integer' | 'boolean' | 'text' | 'list';

export interface Setting<T> {
  readonly kind: Kind;
  readonly default: T;
  readonly about: string;
  readonly min?: number;
  readonly max?: number;
  readonly oneOf?: readonly string[];
}

const integer = (
  about: string,
  defaultValue: number,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): Setting<number> => ({ kind: 'integer', default: defaultValue, about, min, max });
const text = (about: string, defaultValue: string, oneOf?: readonly string[]): Setting<string> => ({
  kind: 'text',
  default: defaultValue,
  about,
  ...(oneOf ? { oneOf } : {}),
});
const flag = (about: string, defaultValue: boolean): Setting<boolean> => ({
  kind: 'boolean',
  default: defaultValue,
  about,
});
const list = (about: string, defaultValue: readonly string[] = []): Setting<readonly string[]> => ({
  kind: 'list',
  default: defaultValue,
  about,
});

/**
 * Thirty per cent of the heap: actors share it with everything else, V8 includes its young
 * generation, and the estimate of an actor is rough. With 332 MB of actors the heap of
 * --max-old-space-size=512 was nearly full, and loading one took 35 ms.
 */
const actorBytesDefault = Math.min(gibibyte, Math.floor(getHeapStatistics().heap_size_limit * 0.3));

export const settingsTable = {
  port: integer('TCP port of the API; 0 picks a free one', 8080, 0, 65_535),
  host: text(
    'Address to listen on. Without authentication only loopback addresses are allowed',
    '127.0.0.1',
  ),
  basePath: text(
    'Path below which everything is served too, for a proxy that passes it on, such as /tools/flows',
    '',
  ),
  dataDir: text('Folder for everything that the server keeps on disk', '.downbeat'),
  redisUrl: text(
    'Redis to use instead of the private one: redis://, unix:, redis-sentinel://, redis-cluster://; with TLS rediss://, rediss-sentinel://, rediss-cluster://',
    '',
  ),
  redisTlsCaFile: text(
    'File with the authorities, PEM, that the certificates of Redis must come from; by default those that Node.js knows',
    '',
  ),
  redisTlsCertFile: text('File with the certificate chain that is shown to Redis, PEM', ''),
  redisTlsKeyFile: text('File with the private key of that certificate, PEM', ''),
  redisPrefix: text('What every key starts with; one deployment per prefix', 'db'),
  appendFsync: text(
    'Durability of the private Redis: always = acknowledged is on disk; everysec = a kill of Redis can lose the last second or more',
    'always',
    ['always', 'everysec'],
  ),
  waitReplicas: integer(
    'Replicas of Redis that must confirm a write before it is acknowledged; 0 = its primary alone. With fewer attached nothing can be acknowledged',
    0,
    0,
    20,
  ),
  waitReplicasMs: integer(
    'How long replicas may take to confirm a write, ms; then its outcome counts as unknown',
    1000,
    10,
    60_000,
  ),
  waitAof: flag(
    'The primary and the replicas that confirm a write must have it on disk (WAITAOF); needs Redis 7.2 or later, or Valkey',
    false,
  ),
  shards: integer('Number of shards; fixed when the store is created', 256, 1, 65_536),
  partitions: integer(
    'Slots of a Redis Cluster that the shards are spread over; fixed when the store is created',
    16,
    12,
    16_384,
  ),
  nodeId: text('Name of this node; by default drawn once and kept in the data folder', ''),
  peerHost: text('Address on which other nodes of the cluster reach this one', '127.0.0.1'),
  peerPort: integer('TCP port for other nodes of the cluster; 0 picks a free one', 0, 0, 65_535),
  peerAddress: text(
    'host:port that this node tells the others to reach it at; by default where it listens',
    '',
  ),
  logLevel: text('Log level', 'info', [
    'trace',
    'debug',
    'info',
    'warn',
    'error',
    'fatal',
    'silent',
  ]),
  httpServer: text(
    'HTTP library; auto = uWebSockets.js where its binary loads, else node:http',
    'auto',
    ['auto', 'uws', 'node'],
  ),
  bodyBytesMax: integer('Largest request body, bytes', 16 * mebibyte, 1024),
  headerBytesMax: integer(
    'Largest request header, bytes; with uWebSockets.js of a header that comes in several pieces',
    16 * 1024,
    1024,
  ),
  jsonDepthMax: integer('Deepest nesting of a JSON body', 64, 4, 1000),
  jsonKeysMax: integer('Most keys in a JSON body', 100_000, 100),
  connectionsMax: integer('Open connections', 20_000, 1),
  streamBytesUnsentMax: integer(
    'Bytes of one streamed answer that may wait for a slow client before it is cut off',
    256 * 1024,
    1024,
  ),
  streamsMax: integer('Live streams of changes that may be open at this node; then 503', 10_000, 0),
  drainMs: integer('How long running requests may take at a stop, ms', 5000, 0),
  leaveNoticeMs: integer(
    'How long a node that stops says at /health that it leaves, and serves, before it stops to listen, ms',
    0,
    0,
    600_000,
  ),
  stopMs: integer('How long the rest of a stop may take; then it is broken off, ms', 10_000, 0),
  loopBlockedMsMax: integer(
    'How long the event loop may be blocked before the process ends itself with exit code 70, ms; 0 = for ever',
    5000,
    0,
  ),
  parkedPollsMax: integer('Long polls that may wait at this node', 50_000, 1),
  pollCountMax: integer('Tasks per batch poll', 1000, 1, 10_000),
  readyHeldMax: integer(
    'Ready tasks of a queue that are held in memory for polls; more are read from Redis when needed',
    100_000,
    0,
  ),
  uncommittedBytesMax: integer(
    'Bytes of requests that may wait for Redis; then 503',
    64 * mebibyte,
    1024,
  ),
  redisMemoryPercentMax: integer(
    'Starts are refused when Redis uses more of its memory limit, per cent',
    85,
    1,
    100,
  ),
  redisMemoryBytes: integer(
    'Memory limit of the private Redis, bytes; 0 = three quarters of the machine',
    0,
    0,
  ),
  actorBytesMax: integer(
    'Memory for executions at this node, bytes; the least recently used at rest leave',
    actorBytesDefault,
    mebibyte,
  ),
  commitsPerBatchMax: integer('Executions per write', 200, 1, 5000),
  retentionSeconds: integer(
    'Finished executions are kept this long, seconds; definitions may say otherwise in metadata.retentionSeconds',
    7 * 24 * 3600,
    1,
    retentionSecondsMax,
  ),
  retentionByStatus: list('Other times by status, STATUS=seconds, such as FAILED=2592000'),
  retentionByDefinition: list(
    'Other times by workflow name, name=seconds or name/STATUS=seconds; they count more than those by status',
  ),
  searchTextBytesMax: integer(
    'Memory for the texts of executions at a node where somebody searches for words, bytes',
    gibibyte,
    mebibyte,
  ),
  archive: flag(
    'Finished executions are written to the object store before they are removed, and still read by their id',
    false,
  ),
  objectStore: text(
    'Where archive, files and large payloads stand; auto = a folder with the private Redis, else none',
    'auto',
    ['auto', 'none', 'folder', 's3'],
  ),
  objectFolder: text('That folder; by default objects in the data folder', ''),
  objectUrlSeconds: integer('How long the URL of an object is valid, seconds', 900, 10, 604_800),
  s3Endpoint: text('Address of the S3-compatible server; by default that of the region', ''),
  s3Region: text('Region of the bucket', 'us-east-1'),
  s3Bucket: text('Bucket for objects', ''),
  s3Prefix: text('What keys in the bucket start with, such as downbeat/', ''),
  s3AccessKeyId: text('Access key of the bucket', ''),
  s3SecretAccessKey: text('Its secret', ''),
  filesPerExecutionMax: integer('Files of one execution', 1000, 1, 100_000),
  publicUrl: text(
    'Address at which clients reach this server, such as https://flows.example.org; by default the Host of the request',
    '',
  ),
  tasksPerExecutionMax: integer('Task records of one execution', 100_000, 10),
  executionBytesMax: integer(
    'Inputs and outputs of all tasks of one execution, bytes of JSON',
    134_217_728,
    65_536,
  ),
  childDepthMax: integer('Depth of workflows that start each other', 32, 1, 1000),
  itemsPerStepMax: integer('Steps of one execution before others get their turn', 60, 1, 100_000),
  variablesBytesMax: integer('Variables of one execution, bytes of JSON', 256 * 1024, 1024),
  taskPayloadBytesMax: integer('Input or output of a task, bytes of JSON', 10_240 * 1024, 1024),
  workflowPayloadBytesMax: integer(
    'Input or output of an execution, bytes of JSON',
    10_240 * 1024,
    1024,
  ),
  'service.workflow-message-queue.enabled': flag('Serves POST /workflow/{id}/messages', true),
  'service.scheduler.enabled': flag('Serves /api/scheduler and runs schedules', true),
  'service.scheduler.schedulerTimeZone': text(
    'Time zone of the preview of cron expressions: an IANA name or an offset such as GMT+2',
    'UTC',
  ),
  schedulesMax: integer('Schedules that there may be', 200_000, 1),
  scheduleRunsAtOnceMax: integer('Schedules that are started at the same time', 256, 1),
  scheduleIntervalSecondsMin: integer(
    'Shortest time between two due times of a cron expression, seconds; one that is due more often is refused',
    1,
    1,
    86_400,
  ),
  scheduleCatchupMax: integer(
    'Missed due times of a cron expression that run with catch-up; the others are recorded as skipped',
    10_000,
    1,
  ),
  scheduleRunsKeptMax: integer('Newest runs of a schedule that are kept', 10, 1, 10_000),
  schemasMax: integer('Versions of all schemas that there may be', 20_000, 1),
  schemaTimeMsMax: integer('Longest time to read a schema or check a value by it, ms', 1000, 1),
  promptsMax: integer('Versions of all prompts that there may be', 20_000, 1),
  modelSilenceMsMax: integer(
    'Longest silence of the provider of a model while it answers, ms',
    120_000,
    1,
  ),
  vectorsPerIndexMax: integer(
    'Vectors that one namespace of an index may hold; a search compares them all',
    100_000,
    1,
  ),
  integrationsMax: integer('Integration providers, and models, that there may be', 5000, 1),
  remoteServicesMax: integer('Remote services that there may be', 1000, 1),
  protoFilesMax: integer('Proto files of all remote services together', 1000, 1),
  humanTasksLookedAtMax: integer(
    'Human tasks that one search looks at when no single facet answers it',
    20_000,
    100,
    1_000_000,
  ),
  userFormsMax: integer('Versions of user forms that there may be', 20_000, 1),
  bulkJobsMax: integer('Bulk jobs that are kept; a new one replaces the oldest that rests', 200, 1),
  bulkJobExecutionsMax: integer('Executions of one bulk job', 20_000, 1, 100_000),
  queueSampleSeconds: integer('Between two samples of how many tasks wait in queues', 60, 1, 3600),
  webhooksMax: integer('Webhooks that there may be', 10_000, 1),
  webhookCallsPerSecondMax: integer(
    'Calls of one webhook that a node takes per second; beyond it answers 429',
    500,
    1,
  ),
  webhookEventsWaitingMax: integer(
    'Events of webhooks that may wait at a node to be dealt with; beyond it answers 429',
    20_000,
    1,
  ),
  webhookHistoryMax: integer('Newest calls that a webhook shows', 10, 0, 1000),
  workflowStatusListenerSink: text(
    'Sink of workflow status events of definitions that switch their listener on and name no sink; empty for none',
    '',
  ),
  taskStatusListenerSink: text('Sink of task status events of all definitions; empty for none', ''),
  outgoingWebhooksMax: integer('Outgoing webhooks that there may be', 1000, 0),
  outgoingWaitingMax: integer(
    'Deliveries of one outgoing webhook that may wait; further ones become dead letters',
    10_000,
    1,
  ),
  outgoingAttemptsKept: integer(
    'Newest attempts of an outgoing webhook that are kept',
    200,
    1,
    10_000,
  ),
  outgoingDeadLettersMax: integer(
    'Newest dead letters of an outgoing webhook that are kept',
    1000,
    1,
    100_000,
  ),
  eventHandlersMax: integer('Event handlers that there may be', 10_000, 1),
  eventRecordsMax: integer(
    'Newest records of a handler, and messages of an event, that are kept',
    200,
    1,
    10_000,
  ),
  deadLettersMax: integer('Newest dead letters of a handler that are kept', 1000, 1, 100_000),
  eventAttemptsMax: integer(
    'Attempts to deal with a message of a broker before it becomes a dead letter',
    10,
    1,
    1000,
  ),
  stateEventSecondsMax: integer(
    'Seconds after which a state or status event is given up that its broker has not taken',
    86_400,
    10,
    2_592_000,
  ),
  eventPrefetchMax: integer(
    'Messages that a handler takes from a broker and has not dealt with',
    32,
    1,
    1000,
  ),
  messagesMax: integer('Messages that may wait at one execution', 1000, 1, 100_000),
  historyEntriesMax: integer(
    'Controls and edits that the history of an execution keeps; the oldest go',
    200,
    1,
    10_000,
  ),
  logLinesPerTaskMax: integer('Log lines kept per task', 1000, 1),
  waitSecondsMax: integer('Longest wait of synchronous calls, seconds', 600, 1),
  settleTimeoutMs: integer(
    'How long a control waits for its effects on parents and children, ms',
    5000,
    0,
  ),
  scriptTimeMsMax: integer('Time of a user script, ms', 4000, 10),
  scriptMemoryBytesMax: integer('Memory of a user script, bytes', 32 * mebibyte, mebibyte),
  scriptOutputBytesMax: integer('Result of a user script, bytes of JSON', 4 * mebibyte, 1024),
  scriptWorkers: integer('Processes for user scripts', 2, 1, 64),
  objectsInText: text('Objects inside a longer text of an expression', 'json', ['json', 'java']),
  ownerEmailRequired: flag('Definitions need an ownerEmail', false),
  nameValidation: flag(
    'Workflow names may only hold letters, digits, blanks and _ - < > { } #',
    false,
  ),
  environmentNames: list(
    'Environment variables that definitions may read as ${NAME} or ${workflow.env.NAME}',
  ),
  outboundAllowInside: flag('HTTP tasks may call loopback and private addresses', false),
  outboundAllowedHosts: list(
    'Hosts (host or host:port) that HTTP tasks may call although they are inside',
  ),
  documentFolders: list(
    'Folders that tasks may read documents from and write what they make to, by file: addresses',
  ),
  sqlRowsMax: integer('Rows that one statement of a JDBC task may give', 10_000, 1),
  heavyTimeMsMax: integer(
    'Longest time of one job that has a process of its own (PDF, HTML, SQLite), ms',
    60_000,
    100,
  ),
  heavyProcessesMax: integer('Processes for such jobs at the same time', 2, 1, 64),
  outboundResponseBytesMax: integer(
    'Largest answer an HTTP task reads, bytes',
    10 * mebibyte,
    1024,
  ),
  metricsServerUrl: text('Prometheus server that QUERY_PROCESSOR tasks ask; empty for none', ''),
  systemTasksAtOnceMax: integer('HTTP and other system tasks that run at the same time', 500, 1),
  httpPollIntervalSecondsMin: integer(
    'Shortest time between two polls of an HTTP_POLL task, seconds',
    60,
    1,
    86_400,
  ),
  auth: flag('Callers need a token; off, everybody is an administrator', false),
  allowUnauthenticated: flag('Listens beyond loopback although authentication is off', false),
  tokenSeconds: integer('How long a token is valid unless asked otherwise, seconds', 86_400, 60),
  tokenSecondsMax: integer('Longest life that may be asked for, seconds; 0 = any', 0, 0),
  startsPerSecondMax: integer(
    'Executions that callers may start per second at this node, beyond it 429; 0 = any',
    0,
    0,
  ),
  requestsPerSecondMax: integer('Requests per second of one key or user; 0 = any', 0, 0),
  signInFailuresMax: integer(
    'Failed attempts to sign in to one account before one in 30 s is left; ten times as many from one address',
    10,
    1,
  ),
  secretsKey: text(
    'Key that seals stored secrets: 32 bytes in base64, a name and a colon before it if wanted; several lines for a rotation',
    '',
  ),
  secretsKeyFile: text('File with such keys, read again every half minute', ''),
  secretsKeyCommand: text('Command whose output is such keys', ''),
  auditEntriesMax: integer('Entries of the audit log; the oldest go first', 100_000, 1000),
  secretBytesMax: integer('Value of a secret or an environment variable, bytes', 65_536, 1),
  oidcIssuer: text('Address of the OpenID Connect provider that users may sign in with', ''),
  oidcClientId: text('Client id at that provider', ''),
  oidcClientSecret: text('Client secret at that provider', ''),
  oidcRedirectUrl: text(
    'Address of this server that the provider sends users back to; it ends in /api/sign-in/oidc/callback',
    '',
  ),
  oidcScope: text('What the provider is asked for', 'openid email profile'),
  oidcUserClaim: text('Claim that is the user id', 'email'),
  oidcGroupsClaim: text('Claim whose values become roles and groups', 'groups'),
  oidcRoles: list('Roles by value of that claim, value=ROLE; * for everybody'),
  oidcGroups: list('Groups by value of that claim, value=group; * for everybody'),
  tlsCertFile: text('File with the certificate chain of the listener, PEM; serves HTTPS', ''),
  tlsKeyFile: text('File with the private key of the listener, PEM', ''),
  trustedProxies: list('Addresses and networks whose X-Forwarded-For counts'),
  webOrigins: list(
    'Origins of the web page besides this server, such as https://flows.example.org',
  ),
} as const;

type Table = typeof settingsTable;
export type Settings = {
  readonly [K in keyof Table]: Table[K] extends Setting<infer T> ? T : never;
};

/**
 * A setting that cannot be used; the message is a sentence for the person who starts the server.
 */
export class SettingError extends Error {}
