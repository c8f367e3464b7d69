// A production install of the server without plug-ins, made from the lock file and the packages
// that are installed here.
import fs from 'node:fs';
import path from 'node:path';
import { corePackages, readLock } from './locked-packages.mjs';
import { projectRoot } from './run.mjs';

/** Places of its packages, such as `node_modules/undici`. */
export const installedPlaces = corePackages(readLock());

/** Writes it into `folder`: what is built, the packages that it needs, the manifest. */
export function writeCoreInstall(folder) {
  for (const place of installedPlaces) copy(place, folder);
  for (const part of fs.readdirSync(path.join(projectRoot, 'dist'))) {
    if (!['tools', 'plugins'].includes(part)) copy(path.join('dist', part), folder);
  }
  copy('package.json', folder);
}

/** What nests below a package is a package of its own; what V8 kept belongs to another folder. */
function copy(place, folder) {
  const source = path.join(projectRoot, place);
  if (!fs.existsSync(source)) return; // Optional, for other machines.
  fs.cpSync(source, path.join(folder, place), {
    recursive: true,
    filter: (file) => path.basename(file) !== 'node_modules' && !file.includes('.cache'),
  });
}
