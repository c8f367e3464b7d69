// What tests and tools send signals to. SIGCONT harms nobody, should the rule be broken.
import { expect, it } from 'vitest';
import { signalProcess, startProgram } from '../../testkit/process.js';

it('a program that the machine does not have is sent no signal, nor is everything', async () => {
  const program = startProgram('no-such-program-anywhere', []);
  await program.ended;
  expect(signalProcess(program.pid, 'SIGCONT')).toBe(false);
  expect(signalProcess(-1, 'SIGCONT')).toBe(false);
  expect(signalProcess(0, 'SIGCONT')).toBe(false);
});
