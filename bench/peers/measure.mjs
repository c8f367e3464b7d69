// The measuring part of the programs that load another server: warms up, prints "begin", measures
// one run at SIGUSR2, and prints "end" with what it found.

/** `run` carries out so many executions of so many steps; `wrong`: what it found wrong so far. */
export async function measure(job, { run, steps, wrong }) {
  await run(Math.min(job.executions, job.window * 2));
  process.once('SIGUSR2', () => void measured());
  console.log('begin now');

  async function measured() {
    const [at, cpu] = [performance.now(), process.cpuUsage()];
    await run(job.executions);
    const { user, system } = process.cpuUsage(cpu);
    const found = { tasks: job.executions * steps, elapsedMs: performance.now() - at, wrong };
    console.log(`end ${JSON.stringify({ ...found, cpuMs: (user + system) / 1000 })}`);
    process.exit(0);
  }
}
