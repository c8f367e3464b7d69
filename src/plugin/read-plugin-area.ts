// Checks the areas of a plug-in, which was written by others: each route lies below its prefix and
// stands there once.
import { pluginMethods } from './plugin-area.js';

/** A literal, or a variable behind a colon. */
const segmentRule = /^(?::[a-zA-Z]\w*|[\w-][\w.-]*)$/;
const nameRule = /^[a-z][a-zA-Z0-9]*$/;
const users = ['callers', 'creators', 'administrators'];

/** Throws an Error that says what is wrong. */
export function checkPluginAreas(areas: readonly unknown[]): void {
  const shapes = new Set<string>();
  const names = new Set<string>();
  const jobs = new Set<string>();
  for (const area of areas) {
    if (!isRecord(area)) throw new Error('an area must be an object');
    if (typeof area['about'] !== 'string') throw new Error('an area has no text about');
    for (const endpoint of listOf(area['endpoints'], 'endpoints')) {
      const { name, shape } = checkEndpoint(endpoint);
      once(names, name, `two endpoints are called ${name}`);
      once(shapes, shape, `two endpoints serve ${shape}`);
    }
    for (const job of listOf(area['jobs'] ?? [], 'jobs')) {
      const name = checkJob(job);
      once(jobs, name, `two jobs are called ${name}`);
    }
  }
}

/** The same for all paths that match the same requests. */
export function shapeOf(method: string, path: string): string {
  return `${method} ${path.replace(/:[^/]+/g, ':')}`;
}

function checkEndpoint(endpoint: unknown): { name: string; shape: string } {
  if (!isRecord(endpoint)) throw new Error('an endpoint must be an object');
  const { name, path, summary } = endpoint;
  if (typeof name !== 'string' || !nameRule.test(name)) {
    throw new Error('the name of an endpoint must be camel case, such as listCities');
  }
  const owner = `the endpoint ${name}`;
  const method = pluginMethods.find((each) => each === endpoint['method']);
  if (method === undefined) {
    throw new Error(`the method of ${owner} must be one of ${pluginMethods.join(', ')}`);
  }
  if (typeof summary !== 'string') throw new Error(`${owner} has no text summary`);
  if (typeof path !== 'string' || !isBelowPrefix(path)) {
    throw new Error(`the path of ${owner} must be empty or such as /cities/:city`);
  }
  if (endpoint['users'] !== undefined && !users.includes(String(endpoint['users']))) {
    throw new Error(`the users of ${owner} must be one of ${users.join(', ')}`);
  }
  if (typeof endpoint['handle'] !== 'function') throw new Error(`${owner} has no function handle`);
  return { name, shape: shapeOf(method, path) };
}

function checkJob(job: unknown): string {
  if (!isRecord(job) || typeof job['name'] !== 'string') throw new Error('a job has no name');
  const { name, everyMs, runsOn } = job;
  if (typeof everyMs !== 'number' || !(everyMs >= 1)) {
    throw new Error(`everyMs of the job ${name} must be a number of 1 or more`);
  }
  if (runsOn !== 'node' && runsOn !== 'leader') {
    throw new Error(`runsOn of the job ${name} must be node or leader`);
  }
  if (typeof job['runOnce'] !== 'function')
    throw new Error(`the job ${name} has no function runOnce`);
  return name;
}

function isBelowPrefix(path: string): boolean {
  const [first, ...segments] = path.split('/');
  return first === '' && segments.every((segment) => segmentRule.test(segment));
}

function once(known: Set<string>, key: string, trouble: string): void {
  if (known.has(key)) throw new Error(trouble);
  known.add(key);
}

function listOf(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Error(`the ${name} of an area must be a list`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
