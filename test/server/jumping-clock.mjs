// Loaded before a server (`--import`): its wall clock jumps when the file named by JUMP_FILE says by
// how many milliseconds; FILE.seen says by how many it has jumped. The monotonic clock is left alone.
import fs from 'node:fs';

const realNow = Date.now;
const file = process.env.JUMP_FILE;
let jumpMs = 0;
const look = () => {
  const text = fs.readFileSync(file, 'utf8');
  if (Number(text) === jumpMs) return;
  jumpMs = Number(text);
  fs.writeFileSync(`${file}.seen`, text);
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
