// Five kinds of tests (docs/testing.md): `unit` and `long` need nothing; `redis` starts Redis
// servers, `broker` message brokers, `server` the built server, which its global setup brings up to
// date once.
import { defineConfig } from 'vitest/config';
import {
  brokerTests,
  longTests,
  needPrivateRedis,
  redisTests,
  serverFolders,
} from './test/support/kinds.js';
import { ownPackages } from './bin/lib/own-packages.mjs';
import { sharedKind } from './test/support/shared-redis.js';

const server = serverFolders.map((folder) => `${folder}/**/*.test.ts`);
const redis = redisTests(import.meta.dirname);
// Test files that the change does not touch, as `npm test` has found (bin/lib/tiers.mjs).
const leftOut = (process.env['DOWNBEAT_TEST_LEFT_OUT'] ?? '').split(',').filter(Boolean);
// The files of a worker share its modules: half the processor time of the kinds that load the
// server's code, since most of it went into loading the same modules for each file.
const isolate = false;

export default defineConfig({
  // What the server and plug-ins import as packages of this repository is tested as it stands.
  resolve: {
    alias: {
      ...ownPackages(import.meta.dirname),
      '@downbeat/plugin': `${import.meta.dirname}/src/plugin/published.ts`,
    },
  },
  test: {
    // Two cores: one test file beside another one, each with a Redis or a server of its own, and a
    // third one on the build machine: files wait for timers for a quarter of their time.
    maxWorkers: process.env['CI'] === 'true' ? 3 : 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // On the build machine a test that fails once gets a second try, and `npm test` names it at the
    // end (docs/testing.md). By hand the first failure counts.
    retry: process.env['CI'] === 'true' ? 1 : 0,
    // The kinds load the same modules: each is transformed once for all of them. In CI alone, where
    // the folder is new.
    experimental: { fsModuleCache: process.env['CI'] === 'true' },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts', 'plugins/*/test/**/*.test.ts'],
          exclude: [...server, ...redis, ...longTests, ...brokerTests, ...leftOut],
          isolate,
        },
      },
      // Projects run in the order of their names: this one, a long file that mostly waits, is the
      // first, and others run beside it.
      { extends: true, test: { name: 'broker', include: [...brokerTests], exclude: leftOut } },
      { extends: true, test: { name: 'long', include: [...longTests], exclude: leftOut } },
      {
        extends: true,
        test: { name: 'redis', include: redis, exclude: [...brokerTests, ...leftOut], isolate },
      },
      {
        extends: true,
        test: {
          name: 'server',
          include: server,
          isolate,
          globalSetup: ['build', 'shared-redis', 'shared-servers'].map(
            (it) => `test/support/${it}.ts`,
          ),
          exclude: [...(sharedKind() === undefined ? [] : needPrivateRedis), ...leftOut],
          testTimeout: 60_000,
          // A condition is waited for as long as a busy machine may need.
          expect: { poll: { timeout: 15_000 } },
        },
      },
    ],
  },
});
