// `downbeat doctor`: what is wrong with this set-up, in sentences. It looks at this machine (Node,
// redis-server, disk, listener) and at the server that commands talk to (version, health,
// durability, memory, clock, queues without workers). It changes nothing.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { Refused, type ApiClient } from '../shared/api-client.js';
import type { Context, Exit } from '../shared/context.js';
import { exitCodes, Failure } from '../shared/failure.js';
import { numberOf, objectOf, objectsOf, textOf } from '../shared/json.js';
import type { Paint } from '../shared/output.js';
import { profilesFile } from '../shared/profiles.js';
import { version } from '../shared/programmes.js';

export interface Finding {
  readonly about: string;
  readonly level: 'ok' | 'warning' | 'wrong';
  /** The finding, and how to mend it where that is needed. */
  readonly sentence: string;
}

const looks: Readonly<Record<Finding['level'], readonly [mark: string, paint: Paint]>> = {
  ok: ['✓', 'green'],
  warning: ['!', 'yellow'],
  wrong: ['✗', 'red'],
};

const redisMin = [6, 2] as const;
const roomBytesMin = 1024 ** 3;
const clockMsMax = 2000;

export function addDoctor(
  program: Command,
  contextOf: (command: Command) => Context,
  exit: Exit,
): void {
  program
    .command('doctor')
    .helpGroup('The server:')
    .summary('what is wrong with this set-up, in sentences')
    .description(
      'Looks at this machine and at the server. Exit code 1 when something is wrong, 0 with warnings alone.',
    )
    .option('--data-dir <folder>', 'folder of the server on this machine', '.downbeat')
    .action(async (options: { dataDir: string }, command: Command) => {
      const { out, client, env } = contextOf(command);
      const findings = [...ofMachine(options.dataDir, env), ...(await ofServer(client()))];
      out.result(findings, () =>
        findings
          .map(({ about, level, sentence }) => {
            const [mark, paint] = looks[level];
            return `${out.painted(paint, mark)} ${about}: ${sentence}`;
          })
          .join('\n'),
      );
      if (findings.some(({ level }) => level === 'wrong')) exit(exitCodes.failed);
    });
}

function ofMachine(dataDir: string, env: NodeJS.ProcessEnv): Finding[] {
  return [ofNode(process.versions.node), ofRedis(), ofDisk(dataDir), ...ofProfiles(env)];
}

export function ofNode(node: string): Finding {
  const [major = 0, minor = 0] = node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 18)) {
    return {
      about: 'Node',
      level: 'wrong',
      sentence: `${node} is too old: install 20.18 or newer.`,
    };
  }
  return { about: 'Node', level: 'ok', sentence: node };
}

function ofRedis(): Finding {
  const { error, stdout } = spawnSync('redis-server', ['--version'], { encoding: 'utf8' });
  if (error !== undefined) {
    return {
      about: 'redis-server',
      level: 'warning',
      sentence:
        'is not on PATH: a server on this machine needs it, or --redis-url with the address of one.',
    };
  }
  return ofRedisVersion(/v=(\S+)/.exec(stdout)?.[1] ?? '');
}

export function ofRedisVersion(found: string): Finding {
  const [major = 0, minor = 0] = found.split('.').map(Number);
  const isOld = major < redisMin[0] || (major === redisMin[0] && minor < redisMin[1]);
  return isOld
    ? {
        about: 'redis-server',
        level: 'wrong',
        sentence: `${found} is too old: install ${redisMin.join('.')} or newer.`,
      }
    : { about: 'redis-server', level: 'ok', sentence: found };
}

function ofDisk(dataDir: string): Finding {
  let folder = path.resolve(dataDir);
  while (!fs.existsSync(folder)) folder = path.dirname(folder);
  try {
    fs.accessSync(folder, fs.constants.W_OK);
  } catch {
    return {
      about: 'disk',
      level: 'wrong',
      sentence: `${folder} may not be written by this user: give another --data-dir.`,
    };
  }
  const { bavail, bsize } = fs.statfsSync(folder);
  const free = bavail * bsize;
  const text = `${(free / 1024 ** 3).toFixed(1)} GiB free below ${folder}`;
  return free < roomBytesMin
    ? {
        about: 'disk',
        level: 'warning',
        sentence: `only ${text}: a full disk stops the private Redis.`,
      }
    : { about: 'disk', level: 'ok', sentence: text };
}

function ofProfiles(env: NodeJS.ProcessEnv): Finding[] {
  const file = profilesFile(env);
  if (!fs.existsSync(file) || process.platform === 'win32') return [];
  const isOpen = (fs.statSync(file).mode & 0o077) !== 0;
  if (!isOpen) return [];
  return [
    {
      about: 'profiles',
      level: 'wrong',
      sentence: `others may read the keys in ${file}: chmod 600 ${file}`,
    },
  ];
}

async function ofServer(client: ApiClient): Promise<Finding[]> {
  const { root } = client.address;
  const findings: Finding[] = [];
  const askedAt = Date.now();
  const answer = await fetch(`${root}/health`, { signal: AbortSignal.timeout(10_000) }).catch(
    () => undefined,
  );
  if (answer === undefined) {
    return [
      {
        about: 'server',
        level: 'wrong',
        sentence: `${root} cannot be reached: start one (downbeat start), or name another one with --server.`,
      },
    ];
  }
  const health = objectOf(await answer.json().catch(() => undefined));
  const details = objectOf(health['details']);
  findings.push(
    answer.ok
      ? { about: 'server', level: 'ok', sentence: `${root} serves` }
      : {
          about: 'server',
          level: 'wrong',
          sentence: `${root} cannot serve: ${textOf(details['why']) || `it answers ${answer.status}`}.`,
        },
  );
  findings.push(ofClock(Date.parse(answer.headers.get('date') ?? ''), askedAt, Date.now()));
  const durability = textOf(details['durability']);
  if (durability !== '') {
    const isFull = /^D[01]\b/.test(durability);
    findings.push({
      about: 'durability',
      level: isFull ? 'ok' : 'warning',
      sentence: isFull
        ? durability
        : `${durability}: a crash of Redis can lose acknowledged work (README, "What a durability setting can lose").`,
    });
  }
  return [...findings, ...(await ofRoutes(client))];
}

function ofClock(serverAt: number, askedAt: number, answeredAt: number): Finding {
  if (Number.isNaN(serverAt))
    return { about: 'clock', level: 'ok', sentence: 'the server does not tell its time' };
  // A Date header has whole seconds.
  const apart = Math.max(0, askedAt - serverAt - 1000, serverAt - answeredAt);
  return apart > clockMsMax
    ? {
        about: 'clock',
        level: 'warning',
        sentence: `the clock of this machine and that of the server are ${Math.round(apart / 1000)} s apart: set them by NTP.`,
      }
    : { about: 'clock', level: 'ok', sentence: 'agrees with the server' };
}

/** Findings of routes that need a token. */
async function ofRoutes(client: ApiClient): Promise<Finding[]> {
  const findings: Finding[] = [];
  try {
    const theirs = textOf(await client.find('/api/version'));
    const differs = theirs !== '' && theirs !== version;
    findings.push({
      about: 'version',
      level: differs ? 'warning' : 'ok',
      sentence: differs ? `the server is ${theirs}, this command ${version}` : version,
    });
    const memory = objectOf(await client.find('/api/admin/redisUsage'));
    if ('limitBytes' in memory)
      findings.push(ofMemory(numberOf(memory['usedBytes']), numberOf(memory['limitBytes'])));
    for (const queue of objectsOf(await client.find('/api/stats/queues'))) {
      if (queue['kind'] !== 'no-worker' || numberOf(queue['waiting']) === 0) continue;
      findings.push({
        about: `queue ${textOf(queue['taskType'])}`,
        level: 'warning',
        sentence: textOf(queue['reason']),
      });
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const isDenied = error instanceof Refused && error.code === exitCodes.denied;
    findings.push({
      about: 'access',
      level: isDenied ? 'warning' : 'wrong',
      sentence: error.message,
    });
  }
  return findings;
}

export function ofMemory(used: number, limit: number): Finding {
  const mib = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`;
  if (limit === 0) {
    return {
      about: 'memory of Redis',
      level: 'warning',
      sentence: `${mib(used)} used and no limit: set maxmemory below what its machine has, so that starts are refused in time.`,
    };
  }
  const percent = Math.round((used / limit) * 100);
  return {
    about: 'memory of Redis',
    level: percent >= 80 ? 'warning' : 'ok',
    sentence: `${mib(used)} of ${mib(limit)} (${percent} %)${percent >= 80 ? ': starts are refused soon' : ''}`,
  };
}
