import { expect, it } from 'vitest';
import { AppError, type ErrorKind } from '../../src/model/errors.js';
import { isTransient } from '../../src/operation/refusals.js';
import { StoreError } from '../../src/store/execution-store.js';

const error = (kind: ErrorKind): AppError => new AppError(kind, 'text');

it.each<ErrorKind>(['too-many', 'bad-gateway', 'unavailable', 'unknown-outcome'])(
  'a caller may repeat what was refused as %s',
  (kind) => {
    expect(error(kind)).toMatchObject({ isTransient: true, isFinal: false });
    expect(isTransient(error(kind))).toBe(true);
  },
);

it.each<ErrorKind>([
  'bad-request',
  'validation',
  'forbidden',
  'not-found',
  'conflict',
  'too-large',
])('what was refused as %s is refused again', (kind) => {
  expect(error(kind)).toMatchObject({ isTransient: false, isFinal: true });
  expect(isTransient(error(kind))).toBe(false);
});

it('a defect says nothing about the next attempt', () => {
  expect(error('internal')).toMatchObject({ isTransient: false, isFinal: false });
  expect(isTransient(new Error('text'))).toBe(false);
});

it('a store that is away passes, whatever became of the call', () => {
  for (const outcome of ['not-applied', 'unclear'] as const) {
    expect(isTransient(new StoreError(outcome, 'text'))).toBe(true);
  }
});
