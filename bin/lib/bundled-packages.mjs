// The packages that are bundled with the server and the command (bundle.mjs): those that every
// start needs. They are development packages, since what is built does not look for them; the other
// packages stay in node_modules, where they are loaded when they are first used.
import { closureOf } from './locked-packages.mjs';

export const bundledPackages = [
  ...['acorn', 'commander', 'cron-parser', 'ioredis', 'msgpackr', 'pino', 'prom-client'],
  ...['re2js', 'redlock', 'yaml'],
];

/**
 * What msgpackr looks for at run time: its native part, which no bundle can hold. It is a package
 * of the server's own.
 */
export const notBundled = 'msgpackr-extract';

/** Places in the lock file of the packages whose code is bundled. */
export function bundledPlaces(packages) {
  return closureOf(packages, bundledPackages);
}

/** Places in the lock file of all packages that run in the server, its plug-ins or its command. */
export function shippedPlaces(packages) {
  // The build bundles some, and copies the listener's binary out of its package.
  const built = new Set(['node_modules/uWebSockets.js', ...bundledPlaces(packages)]);
  const places = Object.keys(packages).filter(
    (place) => place !== '' && (packages[place].dev !== true || built.has(place)),
  );
  return new Set(places);
}
