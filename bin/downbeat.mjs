#!/usr/bin/env node
// The command `downbeat`. In a package it is compiled; in a clone it is built first, when that is
// due, and says so on standard error.
import fs from 'node:fs';
import { createRequire } from 'node:module';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 18)) {
  console.error(`Downbeat needs Node 20.18 or newer; this is ${process.versions.node}.`);
  process.exit(2);
}
if (fs.existsSync(new URL('../cli/main.ts', import.meta.url))) {
  const { refuseEarly, splitLine } = await import('./lib/start-arguments.mjs');
  const { name, args } = splitLine(process.argv.slice(2));
  refuseEarly(name, args);
  const { ensureServerPackages } = await import('./lib/packages.mjs');
  const { buildServer } = await import('./lib/prepare.mjs');
  await ensureServerPackages();
  buildServer();
}
// A test starts such a server and waits for it: it is this process, not a child of it.
const isTestServer = process.argv[2] === 'test-server';
if (isTestServer) process.argv.splice(2, 1);
// Not imported: Node would look through each file for what it exports before it runs it.
createRequire(import.meta.url)(isTestServer ? '../dist/test-server.js' : '../dist/cli/main.js');
