import { expect, it } from 'vitest';
import { Admission } from '../../src/shard/admission.js';

const full = expect.objectContaining({
  kind: 'too-many',
  message: expect.stringContaining('uncommittedBytesMax') as string,
  details: { retryAfterSeconds: 1 },
}) as Error;

it('leaves room for the payloads of others, however many one caller sends', () => {
  let refused = 0;
  const admission = new Admission({ refusal: () => undefined }, 100, () => (refused += 1));
  const held = [admission.hold('flooder', 20), admission.hold('flooder', 20)];
  expect(() => admission.hold('flooder', 30)).toThrow(full);
  expect(refused).toBe(1);
  admission.hold('neighbour', 20).release();
  admission.admit();
  for (const payload of held) payload.release();
  expect(admission.uncommittedBytes).toBe(0);
  admission.hold('flooder', 30);
});
