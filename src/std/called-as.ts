// The programmes of the server as users call them: by npm's scripts in a clone, by the command
// `downbeat` where it was installed as a package or lies in an image.
import fs from 'node:fs';

const isClone = fs.existsSync(new URL('../../src/main.ts', import.meta.url));

/** Arguments follow with a space between. */
export const calledAs = isClone
  ? { start: 'npm start -- [--no-ui]', admin: 'npm run admin --', fsck: 'npm run fsck --' }
  : { start: 'downbeat start', admin: 'downbeat admin', fsck: 'downbeat fsck' };
