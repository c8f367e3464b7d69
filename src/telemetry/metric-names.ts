// The metrics of the server beside those that areas declare: name, kind and meaning.
// docs/metrics.md lists all of them; a test keeps the two in step.

export interface MetricName {
  readonly name: string;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** Name of its one label, if it has one. */
  readonly label?: string;
  /** Names of its labels where it has several; their values are given joined by `joinLabels`. */
  readonly labels?: readonly string[];
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
  /** A gauge that tells of the whole cluster: every node that tells it means the same thing. */
  readonly isOfCluster?: true;
}

const secondBuckets = [
  0.0001, 0.00025, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 5,
];

/** Executions take milliseconds or months. */
const longSecondBuckets = [0.01, 0.1, 1, 10, 60, 600, 3600, 86_400];

/** The values of several labels as one; none of them holds a line break. */
export function joinLabels(...values: readonly (string | number)[]): string {
  return values.join('\n');
}

export const metricNames = {
  commitBatchSize: {
    name: 'downbeat_commit_batch_size',
    kind: 'histogram',
    help: 'Commits of executions per write to the store',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
  },
  gateWaitSeconds: {
    name: 'downbeat_gate_wait_seconds',
    kind: 'histogram',
    help: 'Time from the write of a batch to its confirmation, for which answers wait at the output gate',
    buckets: secondBuckets,
  },
  refusedByFence: {
    name: 'downbeat_commits_refused_fence_total',
    kind: 'counter',
    help: 'Commits refused because another owner has the shard',
  },
  refusedByChain: {
    name: 'downbeat_commits_refused_chain_total',
    kind: 'counter',
    help: 'Commits refused because the execution had another head',
  },
  unwritable: {
    name: 'downbeat_commits_unwritable_total',
    kind: 'counter',
    help: 'Commits that could not be put into the form of the store; each ended its execution',
  },
  jobRuns: {
    name: 'downbeat_job_runs_total',
    kind: 'counter',
    help: 'Runs of the jobs that wake by themselves, by job',
    label: 'job_name',
  },
  jobFailures: {
    name: 'downbeat_job_failures_total',
    kind: 'counter',
    help: 'Runs of jobs that failed, by job; the next run comes all the same',
    label: 'job_name',
  },
  jobSeconds: {
    name: 'downbeat_job_seconds_total',
    kind: 'counter',
    help: 'Time that the runs of jobs took, by job',
    label: 'job_name',
  },
  quotaRefusals: {
    name: 'downbeat_quota_refusals_total',
    kind: 'counter',
    help: 'Requests refused, and starts held back, because of a quota, by its setting',
    label: 'quota',
  },
  storeLost: {
    name: 'downbeat_store_lost_total',
    kind: 'counter',
    help: 'Times that executions left memory because the store failed or another owner appeared',
  },
  assertionsFailed: {
    name: 'downbeat_assertions_failed_total',
    kind: 'counter',
    help: 'Broken promises inside the server, by place',
    label: 'place',
  },
  leaseEnds: {
    name: 'downbeat_lease_ends_total',
    kind: 'counter',
    help: 'Leases of workers that ran out',
  },
  queueRepairs: {
    name: 'downbeat_queue_repairs_total',
    kind: 'counter',
    help: 'Attempts that an audit found lost by their queue, or leased there although they are over, and repaired, by what was done; in order there are none',
    label: 'repair',
  },
  engineCount: {
    name: 'downbeat_engine_total',
    kind: 'counter',
    help: 'What the engine counts, such as task_timeout of policy ALERT_ONLY',
    label: 'event',
  },
  requests: {
    name: 'downbeat_http_requests_total',
    kind: 'counter',
    help: 'HTTP requests; of unknown paths all count as route unknown and method any',
    labels: ['route', 'method', 'status'],
  },
  requestSeconds: {
    name: 'downbeat_http_request_duration_seconds',
    kind: 'histogram',
    help: 'Time from a request to its answer, without long polls',
    buckets: secondBuckets,
  },
  longPollSeconds: {
    name: 'downbeat_http_long_poll_duration_seconds',
    kind: 'histogram',
    help: 'The same of polls for tasks (/api/tasks/poll/... and update-v2), which wait on purpose',
    buckets: [...secondBuckets, 10, 30, 60],
  },
  buildInfo: {
    name: 'downbeat_build_info',
    kind: 'gauge',
    help: 'Always 1, with the version of the server',
    label: 'version',
  },
  redisMemory: {
    name: 'downbeat_redis_memory_bytes',
    kind: 'gauge',
    isOfCluster: true,
    help: 'Memory of Redis as of a second before: `used`, and its `limit`, where 0 is none',
    label: 'kind',
  },
  loopLagSeconds: {
    name: 'downbeat_loop_lag_seconds',
    kind: 'gauge',
    help: 'Event loop lag since the last look at this page',
    label: 'quantile',
  },
  executionsInMemory: {
    name: 'downbeat_executions_in_memory',
    kind: 'gauge',
    help: 'Executions that are in memory',
  },
  quarantinedExecutions: {
    name: 'downbeat_quarantined_executions',
    kind: 'gauge',
    help: 'Executions of the shards of this node that are not loaded, because nodes died on them',
  },
  executionBytes: {
    name: 'downbeat_execution_memory_bytes',
    kind: 'gauge',
    help: 'Estimated memory of executions',
  },
  parkedPolls: {
    name: 'downbeat_parked_polls',
    kind: 'gauge',
    help: 'Long polls that wait',
  },
  pageErrors: {
    name: 'downbeat_page_errors_total',
    kind: 'counter',
    help: 'Errors that the page met in browsers and reported, by kind: script, promise, policy',
    label: 'kind',
  },
  uncommittedBytes: {
    name: 'downbeat_uncommitted_bytes',
    kind: 'gauge',
    help: 'Bytes of reported payloads that wait for their commit',
  },
  executionEvents: {
    name: 'downbeat_executions_total',
    kind: 'counter',
    help: 'Executions of this node that started, and that ended: completed, failed, timedOut, terminated; one that was retried ends again',
    label: 'event',
  },
  taskEvents: {
    name: 'downbeat_tasks_total',
    kind: 'counter',
    help: 'Tasks of workers that were scheduled into their queue, handedOut by this node, and that completed or failed (timeouts too)',
    label: 'event',
  },
  workflowEvents: {
    name: 'downbeat_workflow_executions_total',
    kind: 'counter',
    help: 'Executions of this node by workflow and by what happened: started, completed, failed, timedOut, terminated',
    labels: ['workflow', 'event'],
  },
  workflowSeconds: {
    name: 'downbeat_workflow_duration_seconds',
    kind: 'histogram',
    help: 'Time from the creation of an execution to its end, by workflow',
    label: 'workflow',
    buckets: longSecondBuckets,
  },
  taskTypeEvents: {
    name: 'downbeat_task_executions_total',
    kind: 'counter',
    help: 'Tasks of workers by type and by what happened: scheduled, handedOut, completed, failed',
    labels: ['task_type', 'event'],
  },
  taskSeconds: {
    name: 'downbeat_task_duration_seconds',
    kind: 'histogram',
    help: 'Time that a worker had a task, by type',
    label: 'task_type',
    buckets: longSecondBuckets,
  },
  queueWaitSeconds: {
    name: 'downbeat_queue_wait_seconds',
    kind: 'histogram',
    help: 'Time that a task waited in its queue until a worker had it, by type, told when it ends',
    label: 'task_type',
    buckets: longSecondBuckets,
  },
  queueDepth: {
    name: 'downbeat_queue_depth',
    kind: 'gauge',
    isOfCluster: true,
    help: 'Tasks that wait for a worker, of all nodes and domains; the leader tells it, as of ten seconds before at most',
    label: 'task_type',
  },
  queueLeased: {
    name: 'downbeat_queue_leased',
    kind: 'gauge',
    isOfCluster: true,
    help: 'Tasks that workers have, of all nodes and domains; the leader tells it, as of ten seconds before at most',
    label: 'task_type',
  },
  queueOldestSeconds: {
    name: 'downbeat_queue_oldest_seconds',
    kind: 'gauge',
    isOfCluster: true,
    help: 'How long the oldest task that is ready has waited, by type; the leader tells it',
    label: 'task_type',
  },
  lastPollSeconds: {
    name: 'downbeat_queue_last_poll_age_seconds',
    kind: 'gauge',
    isOfCluster: true,
    help: 'Time since a worker last polled for a type, at any node; the leader tells it; none for a type that nobody ever polled',
    label: 'task_type',
  },
  pollers: {
    name: 'downbeat_pollers',
    kind: 'gauge',
    help: 'Long polls that wait at this node, by type',
    label: 'task_type',
  },
  leads: {
    name: 'downbeat_leader',
    kind: 'gauge',
    help: '1 at the node that leads, 0 at others',
  },
  shardsOwned: {
    name: 'downbeat_shards_owned',
    kind: 'gauge',
    help: 'Shards that this node owns',
  },
  shards: {
    name: 'downbeat_shards',
    kind: 'gauge',
    isOfCluster: true,
    help: 'Shards of the keyspace',
  },
  startsRefused: {
    name: 'downbeat_starts_refused_total',
    kind: 'counter',
    help: 'Starts of executions that were refused, by kind of the error, such as too-many',
    label: 'reason',
  },
  redisSeconds: {
    name: 'downbeat_redis_latency_seconds',
    kind: 'histogram',
    help: 'Time of a question to Redis that is put each second',
    buckets: secondBuckets,
  },
  overdueTimers: {
    name: 'downbeat_overdue_timers',
    kind: 'gauge',
    help: 'Timers of the executions of this node that were due more than five seconds ago; GET /api/stats/timers names them',
  },
  armedWakeUps: {
    name: 'downbeat_armed_wakeups',
    kind: 'gauge',
    help: 'Executions with a timer within the next minute',
  },
  processUp: {
    name: 'downbeat_process_up',
    kind: 'gauge',
    help: 'Processes of this start: 1, and 0 for one that does not answer',
    label: 'process',
  },
} as const satisfies Record<string, MetricName>;

export type MetricKey = keyof typeof metricNames;
