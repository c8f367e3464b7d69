// The programmes of the server as users call them: by the command `downbeat`, which starts them
// under its own name, and which is all there is in a package or an image; else by npm's scripts in
// a clone.
import fs from 'node:fs';
import path from 'node:path';

const isClone = fs.existsSync(new URL('../../src/main.ts', import.meta.url));

// A test server of a clone runs in the process of the command itself.
const script = path.basename(process.argv[1] ?? '');
const isOfCommand = process.argv0 === 'downbeat' || script === 'downbeat.mjs';

/** Arguments follow with a space between. */
export const calledAs = {
  ...(isClone && !isOfCommand
    ? { start: 'npm start -- [--no-ui]', admin: 'npm run admin --', fsck: 'npm run fsck --' }
    : { start: 'downbeat start', admin: 'downbeat admin', fsck: 'downbeat fsck' }),
  testServer: 'downbeat test-server',
};
