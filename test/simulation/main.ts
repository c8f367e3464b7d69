// `npm run simulate -- --seeds 100000 [--from N] [--jobs N] [--fault NAME]
// [--outside] [--planted [--plant NAME]]`
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { faultNames, type FaultName } from './faults.js';
import { replacePlatform } from './platform.js';
import type { PlantedFault } from './plant.js';
import { plantedFaults } from './planted-faults.js';
import { simulate, type SimulationResult } from './simulate.js';

const startedAt = performance.now();
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    /** Processes that share the seeds. */
    jobs: { type: 'string', default: '1' },
    fault: { type: 'string' },
    /** Every seed meets the world outside, not only those that would. */
    outside: { type: 'boolean', default: false },
    planted: { type: 'boolean', default: false },
    /** Part of the name of a planted fault. */
    plant: { type: 'string', default: '' },
  },
});
const fault = values.fault as FaultName | undefined;
if (fault !== undefined && !faultNames.includes(fault)) {
  throw new Error(`--fault is one of ${faultNames.join(', ')}`);
}
const first = Number(values.from);
const end = first + Number(values.seeds);
const jobs = Number(values.jobs);
const meetsOutside = values.outside ? true : undefined;
const failuresMax = 10;
const violationsShown = 5;
const reportsShown = 8;
/** Most of what a seed makes is garbage at its end. */
const jobArguments = ['--max-semi-space-size=32'];
process.exitCode = await carryOut();
console.log(`${Math.round(performance.now() - startedAt)} ms`);

async function carryOut(): Promise<number> {
  if (jobs > 1) return await shareOut();
  const restore = replacePlatform();
  try {
    return await (values.planted ? findPlanted() : lookForViolations());
  } finally {
    restore();
  }
}

/** Each job gets seeds that follow one another. */
async function shareOut(): Promise<number> {
  const share = Math.ceil((end - first) / jobs);
  const codes = await Promise.all(
    Array.from({ length: jobs }, async (_, job) => {
      const from = first + job * share;
      const seeds = Math.min(share, end - from);
      const args = [
        '--from',
        `${from}`,
        '--seeds',
        `${seeds}`,
        ...(fault ? ['--fault', fault] : []),
        ...(values.outside ? ['--outside'] : []),
      ];
      const child = fork(fileURLToPath(import.meta.url), args, { execArgv: jobArguments });
      const [code] = (await once(child, 'exit')) as [number | null];
      return code ?? 1;
    }),
  );
  return Math.max(...codes);
}

async function lookForViolations(): Promise<number> {
  let failures = 0;
  for (let seed = first; seed < end && failures < failuresMax; seed++) {
    const { violations } = await simulate({ seed, fault, meetsOutside });
    if (violations.length > 0) {
      failures += 1;
      show(await simulate({ seed, fault, meetsOutside, withStacks: true }));
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

/** Of each planted fault in how many seeds it made a difference, and in how many it was found. */
async function findPlanted(): Promise<number> {
  let missed = 0;
  console.log('| planted fault | with | seeds | made a difference in | found in | first by |');
  console.log('| --- | --- | --- | --- | --- | --- |');
  for (const planted of plantedFaults) {
    if (!planted.name.includes(values.plant)) continue;
    const { name } = planted;
    const kind = fault ?? planted.fault;
    const { bitten, found } = await findBy(planted, kind);
    if (found.length === 0) missed += 1;
    const firstBy = found[0] ?? 'none';
    const mix = [kind ?? 'any fault', ...(planted.workflow ? [`only ${planted.workflow}`] : [])];
    if (planted.meetsOutside) mix.push('outside');
    const counts = [name, mix.join(', '), end - first, bitten, found.length, firstBy];
    console.log(`| ${counts.join(' | ')} |`);
  }
  return missed === 0 ? 0 : 1;
}

/** `found`: the seeds that found it. */
async function findBy(
  planted: PlantedFault,
  kind: FaultName | undefined,
): Promise<{ bitten: number; found: number[] }> {
  let bitten = 0;
  const found: number[] = [];
  for (let seed = first; seed < end; seed++) {
    let hasBitten = false;
    const plant = planted.plant(() => void (hasBitten = true));
    const { workflow, meetsOutside: outside } = planted;
    const { violations } = await simulate({
      ...{ seed, fault: kind, workflow, plant, meetsOutside: outside },
    });
    if (hasBitten) bitten += 1;
    if (hasBitten && violations.length > 0) found.push(seed);
  }
  return { bitten, found };
}
