#!/usr/bin/env node
// The command `downbeat`. In a package it is compiled; in a clone it is built first, when that is
// due, and says so on standard error.
import fs from 'node:fs';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 18)) {
  console.error(`Downbeat needs Node 20.18 or newer; this is ${process.versions.node}.`);
  process.exit(2);
}
if (fs.existsSync(new URL('../cli/main.ts', import.meta.url))) {
  const { buildServer, ensurePackages } = await import('./lib/prepare.mjs');
  const { installedPlugins } = await import('./lib/plugins.mjs');
  ensurePackages(installedPlugins());
  buildServer();
}
await import(new URL('../dist/cli/main.js', import.meta.url));
