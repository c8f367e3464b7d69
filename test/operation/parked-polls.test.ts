import { expect, it } from 'vitest';
import { ParkedPolls } from '../../src/operation/parked-polls.js';

it('bounds the polls of one caller, until they are answered, and those of nobody else', async () => {
  let refused = 0;
  const polls = new ParkedPolls(2, () => (refused += 1));
  const answers: (() => void)[] = [];
  const parked = (caller: string): Promise<string> =>
    polls.during(caller, () => new Promise((resolve) => answers.push(() => resolve(caller))));
  const first = [parked('a'), parked('a')];
  await expect(parked('a')).rejects.toMatchObject({
    kind: 'too-many',
    message: expect.stringContaining('callerParkedPollsMax') as string,
    details: { retryAfterSeconds: 1 },
  });
  const others = [parked('b'), parked(''), parked(''), parked('')];
  expect(refused).toBe(1);
  for (const answer of answers.splice(0)) answer();
  expect(await Promise.all([...first, ...others])).toEqual(['a', 'a', 'b', '', '', '']);
  const again = parked('a');
  for (const answer of answers) answer();
  expect(await again).toBe('a');
});
