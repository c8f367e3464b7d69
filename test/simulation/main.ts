// `npm run simulate -- --seeds 100000 [--from N] [--fault NAME] [--planted]`
import { parseArgs } from 'node:util';
import { faultNames, type FaultName } from './faults.js';
import { plantedFaults } from './planted-faults.js';
import { simulate, type SimulationResult } from './simulate.js';

const startedAt = performance.now();
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    fault: { type: 'string' },
    planted: { type: 'boolean', default: false },
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
process.exitCode = values.planted ? await findPlanted() : await lookForViolations();
console.log(`${Math.round(performance.now() - startedAt)} ms`);

async function lookForViolations(): Promise<number> {
  let failures = 0;
  for (let seed = first; seed < end && failures < failuresMax; seed++) {
    const result = await simulate({ seed, fault });
    if (result.violations.length > 0) {
      failures += 1;
      show(result);
    }
    const done = seed - first + 1;
    if (done % 1000 === 0) console.log(`${done} seeds, ${failures} failed`);
  }
  console.log(`seeds ${first} to ${end - 1}: ${failures} with violations`);
  return failures === 0 ? 0 : 1;
}

function show({ seed, faults, violations, reported }: SimulationResult): void {
  console.log(`seed ${seed}: ${faults.map(({ name }) => name).join(', ')}`);
  for (const violation of violations.slice(0, violationsShown)) console.log(`  ${violation}`);
  for (const line of reported.slice(-reportsShown)) console.log(`    ${line}`);
}

/** In how many of the seeds each planted fault is found. */
async function findPlanted(): Promise<number> {
  let missed = 0;
  for (const plant of plantedFaults) {
    let found = 0;
    for (let seed = first; seed < end; seed++) {
      const { violations } = await simulate({ seed, fault: fault ?? plant.fault, plant });
      if (violations.length > 0) found += 1;
    }
    if (found === 0) missed += 1;
    console.log(`${String(found).padStart(6)} of ${end - first}  ${plant.name}`);
  }
  return missed === 0 ? 0 : 1;
}
