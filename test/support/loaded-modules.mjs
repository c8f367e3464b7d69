// Loaded before a programme (`node --import`): appends the address of every module that it loads to
// the file that LOADED_MODULES_FILE names, one a line.
import fs from 'node:fs';
import Module, { register } from 'node:module';

const hook = `
  import fs from 'node:fs';
  export async function load(url, context, next) {
    fs.appendFileSync(process.env.LOADED_MODULES_FILE, url + '\\n');
    return next(url, context);
  }`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

// What is required passes no hook.
const { _resolveFilename: resolve } = Module;
Module._resolveFilename = function resolved(...args) {
  const file = resolve.apply(this, args);
  fs.appendFileSync(process.env.LOADED_MODULES_FILE, `${file}\n`);
  return file;
};
