// The long form of the simulation (`npm run simulate -- --help`).
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { readOptions } from '../../bin/lib/options.mjs';
import { faultNames, type FaultName } from './faults.js';
import { replacePlatform } from './platform.js';
import type { PlantedFault } from './plant.js';
import { plantedFaults } from './planted-faults.js';
import { simulate, type SimulationResult } from './simulate.js';

const startedAt = performance.now();
const values = readOptions({
  command: 'npm run simulate --',
  about: 'Runs simulated clusters with faults from many seeds and judges each.',
  options: {
    seeds: { type: 'integer', default: 1000, about: 'number of seeds' },
    from: { type: 'integer', default: 1, about: 'the first one' },
    jobs: { type: 'integer', default: 1, about: 'processes that share the seeds' },
    fault: { type: 'string', oneOf: faultNames, about: 'the one fault that occurs' },
    outside: { type: 'boolean', about: 'every seed meets the world outside, not only every sixth' },
    planted: { type: 'boolean', about: 'tells in which seeds planted faults are found' },
    plant: { type: 'string', default: '', about: 'planted faults whose name holds this' },
  },
});
const { fault, jobs, from: first } = values;
const end = first + values.seeds;
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
