// Carries one flood out, in a process of its own, until its input ends; prints a line per execution
// whose controls must get through, and at last what was counted.
// Arguments: name of the flood, port, token.
import { Crowd } from './crowd.js';
import { floods } from './floods.js';

const [name = '', port = '', token = ''] = process.argv.slice(2);
const flood = floods.find((each) => each.name === name);
if (flood === undefined) throw new Error(`there is no flood ${name}`);
const crowd = new Crowd({
  ...{ port: Number(port), token, connections: flood.connections },
  hold: (id) => void process.stdout.write(`${JSON.stringify({ held: id })}\n`),
});
process.stdin.on('end', () => crowd.end());
process.stdin.resume();
await flood.run(crowd);
process.stdout.write(`${JSON.stringify({ counts: crowd.counts })}\n`, () => process.exit());
