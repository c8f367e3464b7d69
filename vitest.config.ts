// Two kinds of tests: `unit` needs no build; `server` starts the built server, which its global
// setup brings up to date once.
import { defineConfig } from 'vitest/config';

const serverTests = [
  'test/bench/**/*.test.ts',
  'test/limits/**/*.test.ts',
  'test/recorded/**/*.test.ts',
  'test/sdk/**/*.test.ts',
  'test/semantics/server/**/*.test.ts',
  'test/server/**/*.test.ts',
  'test/startup/**/*.test.ts',
  'test/timers/**/*.test.ts',
  'test/torture/**/*.test.ts',
  'test/ui/**/*.test.ts',
];

export default defineConfig({
  test: {
    // Two cores: one test file beside another one, each with a Redis or a server of its own.
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['test/**/*.test.ts'], exclude: serverTests },
      },
      {
        extends: true,
        test: {
          name: 'server',
          include: serverTests,
          globalSetup: ['test/support/build.ts'],
          testTimeout: 60_000,
        },
      },
    ],
  },
});
