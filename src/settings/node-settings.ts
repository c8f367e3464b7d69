// Settings of the server process: where it listens and keeps its files, how other nodes reach it,
// what a request may hold, and how it stops.
import { withinHeap } from './heap-share.js';
import { flag, integer, list, text } from './setting.js';

const mebibyte = 1024 ** 2;

export const nodeSettings = {
  port: integer('TCP port of the API; 0 picks a free one', 8080, 0, 65_535),
  host: text(
    'Address to listen on. Without authentication only loopback addresses are allowed',
    '127.0.0.1',
  ),
  basePath: text(
    'Path below which everything is served too, for a proxy that passes it on, such as /tools/flows',
    '',
  ),
  environmentLabel: text(
    'What this environment is called in the page, such as production or staging; empty for nothing',
    '',
  ),
  publicUrl: text(
    'Address at which clients reach this server, such as https://flows.example.org; by default the Host of the request',
    '',
  ),
  tlsCertFile: text('File with the certificate chain of the listener, PEM; serves HTTPS', ''),
  tlsKeyFile: text('File with the private key of the listener, PEM', ''),
  hstsSeconds: integer(
    'How long browsers use only HTTPS for this address, where users come over TLS, seconds; 0 = not told',
    31_536_000,
    0,
  ),
  trustedProxies: list('Addresses and networks whose X-Forwarded-For counts'),
  webOrigins: list(
    'Origins of the web page besides this server, such as https://flows.example.org',
  ),
  plugins: list(
    'Packages or folders of plug-ins beside those that are made with the server (docs/plugins.md)',
  ),
  dataDir: text('Folder for everything that the server keeps on disk', '.downbeat'),
  logLevel: text('Log level', 'info', [
    'trace',
    'debug',
    'info',
    'warn',
    'error',
    'fatal',
    'silent',
  ]),
  accessLog: flag(
    'Write a log line for each request, with the X-Request-Id of its answer (docs/metrics.md)',
    false,
  ),
  metricsNamesMax: integer(
    'Workflows, and task types, that metrics tell apart; further ones count as `other`',
    100,
    0,
    10_000,
  ),
  processes: text(
    'Nodes that this start runs, each a process, on one port: a number up to 64, or auto = one for each core, but for one core where the private Redis runs too',
    '1',
  ),
  nodeId: text('Name of this node; by default drawn once and kept in the data folder', ''),
  peerHost: text('Address on which other nodes of the cluster reach this one', '127.0.0.1'),
  peerPort: integer('TCP port for other nodes of the cluster; 0 picks a free one', 0, 0, 65_535),
  peerAddress: text(
    'host:port that this node tells the others to reach it at; by default where it listens',
    '',
  ),
  httpServer: text(
    'HTTP library; auto = uWebSockets.js where its binary is known and loads, else node:http',
    'auto',
    ['auto', 'uws', 'node'],
  ),
  bodyBytesMax: integer('Largest request body, bytes', 16 * mebibyte, 1024),
  strangerBodyBytesMax: integer(
    'Largest body of a request that needs no token, such as one that signs in, bytes',
    64 * 1024,
    1024,
  ),
  strangerBodiesMax: integer(
    'Bodies of requests without a token that may have begun and not ended; a quarter of them from one address',
    256,
    4,
  ),
  unfinishedBodyBytesMax: integer(
    'Bytes of all request bodies that have begun and not ended; a quarter of them from one address',
    // At least four of the largest bodies.
    withinHeap(256 * mebibyte, 0.2, 64 * mebibyte),
    mebibyte,
  ),
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
  compressBytesMin: integer(
    'Answers to GET with so many bytes are compressed for clients that take it, but for polls of tasks; 0 = none',
    8192,
    0,
  ),
  waitSecondsMax: integer('Longest wait of synchronous calls, seconds', 600, 1),
  drainMs: integer('How long running requests may take at a stop, ms', 5000, 0),
  leaveNoticeMs: integer(
    'How long a node that stops says at /health that it leaves, and serves, before it stops to listen, ms: behind a balancer twice the time between its checks',
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
} as const;
