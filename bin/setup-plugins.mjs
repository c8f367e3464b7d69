// `npm run setup:plugins [-- NAME ...]`: installs and builds the plug-ins of the server
// (docs/plugins.md), all or the named ones. A server that runs takes them when it is started again.
import { usageOf } from './lib/options.mjs';
import { installedPlugins, pluginNames } from './lib/plugins.mjs';
import { ensurePackages } from './lib/packages.mjs';
import { buildServer } from './lib/prepare.mjs';

const known = pluginNames();
const names = process.argv.slice(2);
if (names.includes('--help')) {
  const about = `Installs and builds plug-ins: ${known.join(', ')}.`;
  console.log(
    usageOf({ command: 'npm run setup:plugins --', about, options: {}, positional: '[NAME ...]' }),
  );
  process.exit(0);
}
const option = names.find((name) => name.startsWith('-'));
if (option !== undefined) {
  console.error(`There is no option ${option}.`);
  process.exit(2);
}
const unknown = names.find((name) => !known.includes(name));
if (unknown !== undefined) {
  console.error(`There is no plug-in ${unknown}. There are: ${known.join(', ')}.`);
  process.exit(2);
}
try {
  ensurePackages(names.length === 0 ? known : [...new Set([...installedPlugins(), ...names])]);
  buildServer();
} catch (error) {
  console.error(`The plug-ins could not be set up: ${error.message}`);
  process.exit(1);
}
console.log(`Installed plug-ins: ${installedPlugins().join(', ')}.`);
