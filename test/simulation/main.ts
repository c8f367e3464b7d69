// `npm run simulate -- --seeds 100000 [--from N] [--fault NAME] [--planted]`
import { parseArgs } from 'node:util';
import { faultNames, type FaultName } from './faults.js';
import { simulate } from './simulate.js';

const startedAt = performance.now();
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    fault: { type: 'string' },
  },
});
const fault = values.fault as FaultName | undefined;
if (fault !== undefined && !faultNames.includes(fault)) {
  throw new Error(`--fault is one of ${faultNames.join(', ')}`);
}
const first = Number(values.from);
const end = first + Number(values.seeds);
const failuresMax = 10;
const violationsShown = 5;
const reportsShown = 8;
let failures = 0;
for (let seed = first; seed < end && failures < failuresMax; seed++) {
  const result = await simulate({ seed, fault });
  if (result.violations.length > 0) {
    failures += 1;
    console.log(`seed ${seed}: ${result.faults.map(({ name }) => name).join(', ')}`);
    for (const violation of result.violations.slice(0, violationsShown))
      console.log(`  ${violation}`);
    for (const line of result.reported.slice(-reportsShown)) console.log(`    ${line}`);
  }
  if ((seed - first + 1) % 1000 === 0) console.log(`${seed - first + 1} seeds, ${failures} failed`);
}
console.log(`seeds ${first} to ${end - 1}: ${failures} with violations`);
console.log(`${Math.round(performance.now() - startedAt)} ms`);
process.exitCode = failures === 0 ? 0 : 1;
