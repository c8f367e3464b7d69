// Settings of tasks that the server does itself because they do I/O: what they may reach, how much
// they may read and how many run at once.
import { flag, integer, list, text } from './setting.js';

const mebibyte = 1024 ** 2;

export const systemTaskSettings = {
  systemTasksAtOnceMax: integer(
    'HTTP and other system tasks that run at the same time; one caller may have as many as it leaves free',
    1000,
    1,
  ),
  outboundAllowInside: flag('HTTP tasks may call loopback and private addresses', false),
  outboundAllowedHosts: list(
    'Hosts (host or host:port) that HTTP tasks may call although they are inside',
  ),
  outboundResponseBytesMax: integer(
    'Largest answer an HTTP task reads, bytes',
    10 * mebibyte,
    1024,
  ),
  httpPollIntervalSecondsMin: integer(
    'Shortest time between two polls of an HTTP_POLL task, seconds',
    60,
    1,
    86_400,
  ),
  documentFolders: list(
    'Folders that tasks may read documents from and write what they make to, by file: addresses',
  ),
  vectorsPerIndexMax: integer(
    'Vectors that one namespace of an index may hold; a search compares them all',
    100_000,
    1,
  ),
  sqlRowsMax: integer('Rows that one statement of a JDBC task may give', 10_000, 1),
  isolatedJobTimeMsMax: integer(
    'Longest time of one job that has a process of its own (PDF, HTML, SQLite), ms',
    60_000,
    100,
  ),
  isolatedJobProcessesMax: integer(
    'Processes for such jobs at the same time; one caller may have as many as it leaves free, at least one',
    3,
    1,
    64,
  ),
  metricsServerUrl: text('Prometheus server that QUERY_PROCESSOR tasks ask; empty for none', ''),
} as const;
