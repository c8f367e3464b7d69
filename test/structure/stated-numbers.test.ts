// Numbers that the handbook states about the code. Each row finds a sentence of a page and the
// constant that it speaks of, so that a constant is not changed without its sentence.
import { expect, it } from 'vitest';
import { readProjectFile } from './source-tree.js';

/** Page, sentence with the number as its group, file, constant, and the sentence's unit in it. */
type Stated = readonly [page: string, says: RegExp, file: string, constant: string, unit?: number];

const second = 1000;
const minute = 60 * second;
const day = 24 * 60 * minute;
const kibibyte = 1024;

const stated: readonly Stated[] = [
  [
    'architecture',
    /A body of (\d+) KB and more is read in a thread/,
    'api/large-bodies',
    'largeBodyBytesMin',
    kibibyte,
  ],
  [
    'architecture',
    /decided some (\d+) records while a commit/,
    'shard/commit-pipeline',
    'recordsPerCommitMax',
  ],
  ['architecture', /at most (five) times within 3 s/, 'placement/routed-executions', 'hopsMax'],
  ['architecture', /five times within (\d+) s/, 'placement/routed-executions', 'acceptMs', second],
  [
    'architecture',
    /arms what is due within the next (minute)/,
    'shard/execution-timers',
    'horizonMs',
    minute,
  ],
  [
    'architecture',
    /renews one lease for itself each (second)/,
    'placement/membership',
    'renewEveryMs',
    second,
  ],
  [
    'invariants',
    /a node's lease lasts (\d+) s and is renewed/,
    'placement/membership',
    'leaseTtlMs',
    second,
  ],
  [
    'invariants',
    /A shard is read (\d+) s before its next wake-up/,
    'shard/execution-timers',
    'leadMs',
    second,
  ],
  [
    'invariants',
    /of each shard once a (minute), twice/,
    'shard/execution-timers',
    'quietMs',
    minute,
  ],
  [
    'invariants',
    /for five of their intervals \(at least (\d+) s\)/,
    'std/periodic-loop',
    'silentMsMin',
    second,
  ],
  ['invariants', /for (five) of their intervals/, 'std/periodic-loop', 'silentIntervals'],
  ['invariants', /repeated after (\d+) ms, doubled/, 'queue/queue-supply', 'fetchLaterMs'],
  ['invariants', /doubled up to ([\d.]+) s/, 'queue/queue-supply', 'fetchLaterMsMax', second],
  [
    'invariants',
    /no answer in (\d+) s, or the link lost/,
    'placement/task-requests',
    'answerMs',
    second,
  ],
  ['invariants', /on whose load nodes died (three) times/, 'shard/quarantine', 'deathsMax'],
  ['invariants', /marked in the store only for a (minute)/, 'shard/quarantine', 'trialMs', minute],
  ['invariants', /header 16 KiB, URL (\d+) KiB/, 'api/http-limits', 'urlBytesMax', kibibyte],
  ['streams', /the newest ([\d,]+) events, 8 MB/, 'areas/live/live-hub', 'eventsMax'],
  ['streams', /2,000 events, (\d+) MB/, 'areas/live/live-hub', 'charsMax', kibibyte ** 2],
  ['streams', /A comment every (\d+) s keeps/, 'areas/live/live-hub', 'beatEveryMs', second],
  [
    'events',
    /connects again after ([\d.]+) s/,
    'areas/events/consume/broker-consumer',
    'pauseMsMin',
    second,
  ],
  [
    'events',
    /less and less often, up to every (\d+) s/,
    'areas/events/consume/broker-consumer',
    'pauseMsMax',
    second,
  ],
  [
    'webhooks',
    /may lie (\d+) s from now/,
    'areas/webhooks/verifiers/contract',
    'signedTimeToleranceMs',
    second,
  ],
  [
    'outgoing',
    /none within (\d+) s, is a failed attempt/,
    'areas/outgoing/area',
    'answerTimeoutMs',
    second,
  ],
  [
    'outgoing',
    /: (\d+) attempts of a webhook are under way/,
    'areas/outgoing/delivery-worker',
    'atOnceMax',
  ],
  [
    'outgoing',
    /per node, (\d+) more wait in memory/,
    'areas/outgoing/delivery-worker',
    'waitingMax',
  ],
  [
    'outgoing',
    /its deliveries to the others after a (minute)/,
    'areas/outgoing/delivery-worker',
    'claimMs',
    minute,
  ],
  [
    'outgoing',
    /signatures, at least (\d+) bytes/,
    'areas/outgoing/outgoing-webhook',
    'secretBytesMin',
  ],
  [
    'outgoing',
    /of tags or rights after (\d+) s more/,
    'areas/outgoing/listeners',
    'keptMs',
    second,
  ],
  [
    'bulk-jobs',
    /A job goes (\d+) days after its creation/,
    'areas/bulk-jobs/bulk-jobs',
    'bulkJobLifeMs',
    day,
  ],
  [
    'bulk-jobs',
    /A slice of at most (\d+) executions/,
    'areas/bulk-jobs/bulk-job-drive',
    'sliceMax',
  ],
  [
    'bulk-jobs',
    /an execution is tried (five) times/,
    'areas/bulk-jobs/bulk-job-drive',
    'attemptsMax',
  ],
  [
    'bulk-jobs',
    /So many go alone first, up to (\d+); 0: none/,
    'areas/bulk-jobs/bulk-job-request',
    'canaryMax',
  ],
  [
    'bulk-jobs',
    /`canarySeconds` \| (\d+) \|/,
    'areas/bulk-jobs/bulk-job-request',
    'canarySecondsDefault',
  ],
  [
    'bulk-jobs',
    /`ratePerSecond` \| 50 \| Up to ([\d,]+)/,
    'areas/bulk-jobs/bulk-job-request',
    'rateMax',
  ],
  [
    'bulk-jobs',
    /the first ([\d,]+) of the job; `omitted`/,
    'areas/bulk-jobs/outcomes',
    'outcomesReadMax',
  ],
  ['bulk-jobs', /`size` \(100, at most (\d+)\) a page/, 'areas/bulk-jobs/outcomes', 'pageSizeMax'],
  [
    'bulk-jobs',
    /The reasons of the first ([\d,]+) refusals/,
    'areas/bulk-jobs/job-store',
    'refusalsMax',
  ],
  [
    'search',
    /Texts beyond ([\d,]+) characters are not kept/,
    'operation/search/execution-texts',
    'charsMax',
  ],
  ['access', /a count of the last (\d+) ms only/, 'operation/open-executions', 'refusableMs'],
  [
    'access',
    /the last count of a name for a (second)/,
    'operation/open-executions',
    'freshMs',
    second,
  ],
  ['access', /(\d+) minutes after the last count/, 'shard/recount-loads', 'countEveryMs', minute],
  ['access', /waits for room, (\d+) s at most/, 'shard/message-delivery', 'roomWaitMsMax', second],
  [
    'access',
    /An order goes after (\d+) s although/,
    'shard/message-delivery',
    'roomWaitMsMax',
    second,
  ],
  ['access', /cover ([\d,]+) callers and as many definitions/, 'shard/held-loads', 'namesMax'],
  [
    'access',
    /administrative records every ([\d.]+) s/,
    'operation/records/record-tables',
    'lookEveryMs',
    second,
  ],
  [
    'access',
    /one comes back every (\d+) s/,
    'areas/identity/sign-in/sign-in-attempts',
    'refillMs',
    second,
  ],
  ['access', /six digits, (\d+) s\)/, 'areas/identity/account/one-time-codes', 'stepMs', second],
  [
    'access',
    /\((\d+) to 256 characters, kept as scrypt/,
    'areas/identity/sign-in/passwords',
    'min',
  ],
  ['access', /\(8 to (\d+) characters, kept as scrypt/, 'areas/identity/sign-in/passwords', 'max'],
  [
    'page',
    /of each node, told by itself every (\d+) s/,
    'operation/recording/node-reporter',
    'reportEveryMs',
    second,
  ],
  [
    'page',
    /a minute tells (\d+) workflows and 200 queues/,
    'operation/recording/minute-recorder',
    'namesPerMinuteMax',
  ],
  ['page', /more than (five) seconds late in two checks/, 'shard/overdue-timers', 'lateMs', second],
  ['storage', /shard within (\d+) s, at most 200/, 'shard/expiry-sweep', 'roundMs', second],
  ['fsck', /is inspected again after (\d+) s/, 'server/build-fsck', 'fsckSettleMs', second],
  ['fsck', /it ends in (\d+) s unless its node renews it/, 'fsck/ownership', 'renewalMs', second],
  ['deployment', /dies again, after (\d+) ms/, 'server/processes/member', 'pauseMsMin'],
  ['deployment', /ever later up to (\d+) s/, 'server/processes/member', 'pauseMsMax', second],
  [
    'deployment',
    /and waits a (second) at most/,
    'server/processes/roll-call',
    'answerMsMax',
    second,
  ],
  [
    'scaling',
    /a ping of some ten bytes each (\d+) ms/,
    'placement/peer/peer-socket',
    'pingEveryMs',
  ],
  [
    'scaling',
    /while polls come and go within (\d+) s/,
    'placement/peer-notices',
    'lingerMs',
    second,
  ],
  ['test-server', /at most (\d+) days/, 'server/test-time', 'advanceMsMax', day],
  ['page', /Minutes are kept for (seven) days/, 'store/statistics-store', 'minutesLifeMs', day],
  ['storage', /at most (\d+) executions in one call/, 'redis/expiry-sweep', 'entriesMax'],
];

const words: Readonly<Record<string, number>> = {
  second: 1,
  minute: 1,
  three: 3,
  five: 5,
  seven: 7,
};

const rows = stated.map(([page, says, file, constant, unit = 1]) => ({
  ...{ page, says, file, constant, unit },
}));

it.each(rows)('docs/$page.md: $says is $constant of src/$file.ts', (row) => {
  const { page, says, file, constant, unit } = row;
  const text = says.exec(readProjectFile(`docs/${page}.md`))?.[1];
  expect(text, `the sentence ${says.source} is not on the page`).toBeDefined();
  const number = words[text ?? ''] ?? Number(text?.replaceAll(',', ''));
  expect(number * unit).toBe(constantOf(file, constant));
});

it('a product and a member of an object are read', () => {
  expect(productOf('5 * 60_000')).toBe(300_000);
  expect(productOf('8 * 1024 ** 2')).toBe(8 * kibibyte ** 2);
  expect(constantOf('areas/identity/sign-in/passwords', 'min')).toBe(8);
});

/** The value of `const NAME = …;`, else of the first member `NAME: …` of an object. */
function constantOf(file: string, name: string): number {
  const source = readProjectFile(`src/${file}.ts`);
  const value =
    new RegExp(`\\bconst ${name} = ([^;]+);`).exec(source)?.[1] ??
    new RegExp(`\\b${name}: ([\\d_ *]+)`).exec(source)?.[1];
  if (value === undefined) throw new Error(`src/${file}.ts has no ${name}`);
  return productOf(value);
}

/** Numbers with `*` and `**` between them. */
function productOf(text: string): number {
  return text
    .split(/(?<!\*)\*(?!\*)/)
    .map((part) => part.split('**').map((number) => Number(number.replaceAll('_', ''))))
    .reduce((product, [base = NaN, exponent = 1]) => product * base ** exponent, 1);
}
