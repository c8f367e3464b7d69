// What package-lock.json says of the packages of the server and of its plug-ins. Plain JavaScript:
// it is asked before anything is installed.
import fs from 'node:fs';
import path from 'node:path';
import { projectRoot } from './run.mjs';

/** Entries of a lock file by their place, such as `node_modules/pg`; the project itself is ''. */
export function readLock(file = path.join(projectRoot, 'package-lock.json')) {
  return JSON.parse(fs.readFileSync(file, 'utf8')).packages ?? {};
}

/**
 * Places of all packages that the given ones need, themselves included, as npm installs them.
 * `from`: place of the package that names them.
 */
export function closureOf(packages, names, from = '') {
  const found = new Set();
  const open = names.map((name) => placeOf(packages, from, name));
  for (let place = open.pop(); place !== undefined || open.length > 0; place = open.pop()) {
    if (place === undefined || found.has(place)) continue;
    found.add(place);
    const entry = packages[place];
    const needed = { ...entry.dependencies, ...entry.optionalDependencies };
    for (const name of Object.keys(entry.peerDependencies ?? {})) {
      if (!entry.peerDependenciesMeta?.[name]?.optional) needed[name] = true;
    }
    const base = entry.link ? entry.resolved : place;
    if (entry.link) Object.assign(needed, packages[base]?.dependencies);
    for (const name of Object.keys(needed)) open.push(placeOf(packages, base, name));
  }
  return [...found].sort();
}

/** Where a package that another one names is found: beside it, or in a folder above. */
function placeOf(packages, from, name) {
  for (let base = from; ;) {
    const place = `${base === '' ? '' : `${base}/`}node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (base === '') return undefined;
    base = base.includes('node_modules/')
      ? base.slice(0, base.lastIndexOf('node_modules/')).replace(/\/$/, '')
      : '';
  }
}

/** Packages that run the server without plug-ins on this machine. */
export function corePackages(packages) {
  const { dependencies, optionalDependencies } = packages[''];
  const names = Object.keys({ ...dependencies, ...optionalDependencies });
  return closureOf(packages, names).filter((place) => !isForOthers(packages[place]));
}

/** Packages that run, build and test the server without plug-ins. */
export function coreToolPackages(packages) {
  const { dependencies, optionalDependencies, devDependencies } = packages[''];
  const all = { ...dependencies, ...optionalDependencies, ...devDependencies };
  return closureOf(packages, Object.keys(all));
}

/**
 * Manifest and lock file of a project that needs the named packages alone, in the same versions and
 * places as here.
 */
export function lockOf({ manifest, lock, names }) {
  const { name, version, type, dependencies, devDependencies, optionalDependencies } = manifest;
  const ranges = { ...devDependencies, ...dependencies };
  const wanted = names.filter((each) => ranges[each] !== undefined);
  const own = {
    ...{ name, version, type, private: true },
    dependencies: Object.fromEntries(wanted.map((each) => [each, ranges[each]])),
    optionalDependencies,
  };
  // What is for development here is what that project is for.
  const places = closureOf(lock.packages, names).map((place) => {
    const entry = { ...lock.packages[place] };
    delete entry.dev;
    delete entry.devOptional;
    return [place, entry];
  });
  return {
    manifest: { ...own, overrides: manifest.overrides },
    lock: { ...lock, packages: { '': own, ...Object.fromEntries(places) } },
  };
}

/** Whether npm would leave a package out on this machine. */
function isForOthers({ os, cpu }) {
  const excludes = (list, own) =>
    list !== undefined && !list.includes(own) && !list.some((each) => each.startsWith('!'));
  return excludes(os, process.platform) || excludes(cpu, process.arch);
}

/**
 * Whether what is installed has the wanted packages as they are locked; optional ones may be absent.
 */
export function holdsPackages(locked, installed, wanted) {
  return wanted.every((place) => {
    const { version, integrity, optional = false } = locked[place];
    const found = installed[place];
    if (found === undefined) return optional;
    return found.version === version && found.integrity === integrity;
  });
}
