// The native binary of the HTTP listener, one for each platform and version of Node.js: the build
// copies the one of this machine, so that what is installed holds no other.
import fs from 'node:fs';
import path from 'node:path';
import { projectRoot } from './run.mjs';

/** Copies the binary and its licence into a folder; one that the package has not is left out. */
export function copyListener(folder) {
  const { platform, arch, versions } = process;
  const from = path.join(projectRoot, 'node_modules', 'uWebSockets.js');
  fs.mkdirSync(folder, { recursive: true });
  for (const name of [`uws_${platform}_${arch}_${versions.modules}.node`, 'LICENSE']) {
    const file = path.join(from, name);
    if (fs.existsSync(file)) fs.copyFileSync(file, path.join(folder, name));
  }
}
