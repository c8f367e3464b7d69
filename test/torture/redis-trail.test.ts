// The trail of a run's Redis processes, on files written by hand.
import fs from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { RedisTrail } from './redis-trail.js';

it('keeps what a server wrote into a file that it has removed since', () => {
  const folder = createFolder();
  onTestFinished(() => removeFolder(folder));
  const files = path.join(folder, 'appendonlydir');
  fs.mkdirSync(files);
  const [first, second] = [path.join(files, 'a.1.incr.aof'), path.join(files, 'a.2.incr.aof')];
  fs.writeFileSync(first, 'before');
  const trail = new RedisTrail([{ name: 'redis-1', folder }]);
  onTestFinished(() => trail.end());

  fs.appendFileSync(first, ', later');
  fs.rmSync(first);
  fs.writeFileSync(second, 'after');
  trail.keep(path.join(folder, 'kept'));

  const kept = path.join(folder, 'kept', 'redis-1');
  const texts = fs.readdirSync(kept).map((file) => fs.readFileSync(path.join(kept, file), 'utf8'));
  expect(texts.toSorted()).toEqual(['after', 'before, later']);
});
