// Inputs and mocks of simulated runs that this browser keeps for a definition, each under a name.
import { keep, kept } from './browser-store';

export interface Fixture {
  /** JSON texts, as they were typed. */
  readonly input: string;
  readonly mocks: string;
}

export type Fixtures = Readonly<Record<string, Fixture>>;

const keyOf = (draftKey: string): string => `downbeat.mocks.${draftKey}`;

export function fixturesOf(draftKey: string): Fixtures {
  try {
    const read: unknown = JSON.parse(kept(keyOf(draftKey)) ?? '{}');
    const entries = read !== null && typeof read === 'object' ? Object.entries(read) : [];
    return Object.fromEntries(entries.filter((entry) => isFixture(entry[1])));
  } catch {
    return {};
  }
}

/** False when the browser keeps nothing more. */
export function keepFixtures(draftKey: string, fixtures: Fixtures): boolean {
  return keep(keyOf(draftKey), JSON.stringify(fixtures));
}

function isFixture(value: unknown): value is Fixture {
  const { input, mocks } = (value ?? {}) as Partial<Fixture>;
  return typeof input === 'string' && typeof mocks === 'string';
}
