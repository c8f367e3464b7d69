// Settings of what is stored: Redis and its durability, the memory that executions may take there
// and in the node, how long they are kept, and the object store.
import { withinHeap } from './heap-share.js';
import { retentionSecondsMax } from '../model/retention.js';
import { flag, integer, list, text } from './setting.js';

const gibibyte = 1024 ** 3;
const mebibyte = 1024 ** 2;

/**
 * Thirty per cent of the heap: actors share it with everything else, V8 includes its young
 * generation, and the estimate of an actor is rough. With 332 MB of actors the heap of
 * --max-old-space-size=512 was nearly full, and loading one took 35 ms.
 */
const actorBytesDefault = withinHeap(gibibyte, 0.3);

export const storeSettings = {
  redisUrl: text(
    'Redis to use instead of the private one: redis://, unix:, redis-sentinel://, redis-cluster://; with TLS rediss://, rediss-sentinel://, rediss-cluster:// (docs/redis.md)',
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
    'The primary and the replicas that confirm a write must have it on disk (WAITAOF); needs Redis 7.2 or later, or Valkey, with appendfsync always',
    false,
  ),
  shards: integer('Number of shards; fixed when the store is created', 256, 1, 65_536),
  partitions: integer(
    'Slots of a Redis Cluster that the shards are spread over; fixed when the store is created',
    16,
    12,
    16_384,
  ),
  commitsPerBatchMax: integer(
    'Executions, or task records, of one write to Redis; one execution may bring more',
    100,
    1,
    5000,
  ),
  uncommittedBytesMax: integer(
    'Bytes of requests that may wait for Redis, then 503; for one of several callers as many as are left free, then 429',
    withinHeap(128 * mebibyte, 0.1, 32 * mebibyte),
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
  searchTextBytesMax: integer(
    'Memory for the texts of executions at a node where somebody searches for words, bytes',
    gibibyte,
    mebibyte,
  ),
  searchesAtOnceMax: integer(
    'Searches, and other reads of many executions, that run at a time at a node; callers share them',
    4,
    1,
    1000,
  ),
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
  objectStore: text(
    'Where archive, files and large payloads stand; auto = a folder with the private Redis, else none',
    'auto',
    ['auto', 'none', 'folder', 's3'],
  ),
  objectFolder: text('That folder; by default objects in the data folder', ''),
  s3Endpoint: text('Address of the S3-compatible server; by default that of the region', ''),
  s3Region: text('Region of the bucket', 'us-east-1'),
  s3Bucket: text('Bucket for objects', ''),
  s3Prefix: text('What keys in the bucket start with, such as downbeat/', ''),
  s3AccessKeyId: text('Access key of the bucket', ''),
  s3SecretAccessKey: text('Its secret', ''),
} as const;
