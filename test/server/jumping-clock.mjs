// Loaded before a server (`--import`): its wall clock jumps when the file named by JUMP_FILE says by
// how many milliseconds. The monotonic clock is left alone.
import fs from 'node:fs';

const realNow = Date.now;
const file = process.env.JUMP_FILE;
let jumpMs = 0;
const look = () => {
  jumpMs = Number(fs.readFileSync(file, 'utf8'));
};
look();
setInterval(look, 10).unref();

const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(realNow() + jumpMs);
    else super(...args);
  }

  static now() {
    return realNow() + jumpMs;
  }
};
