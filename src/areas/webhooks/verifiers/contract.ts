// A verifier (contract-admin 12.4) decides whether a call comes from the platform that shares the
// webhook's secret. One file per verifier, one entry in list.ts. Verifiers see the raw bytes of the
// body, compare in constant time and keep nothing.
import type { VerifierConfig } from '../webhook.js';

export interface IncomingCall {
  readonly method: 'GET' | 'POST';
  /** By lower-case name; one value for each time that the header was sent. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly query: ReadonlyMap<string, readonly string[]>;
  /** Raw; an absent body counts as `{}`. */
  readonly body: Buffer;
  /** Epoch ms. */
  readonly receivedAt: number;
}

export type Verdict =
  | {
      readonly kind: 'verified';
      /** May be used once within a time (contract-admin 12.3): a repeat is refused. */
      readonly signature?: string;
    }
  /** The platform asks whether the address is ours: answer this and do nothing else. */
  | {
      readonly kind: 'challenge';
      readonly answer: string;
      readonly contentType: 'text/plain;charset=UTF-8' | 'application/json';
    }
  | { readonly kind: 'refused'; readonly why: string };

export interface Verifier {
  verify(config: VerifierConfig, call: IncomingCall): Verdict;
}

/** Signed moments may lie so far from now. */
export const signedTimeToleranceMs = 300_000;

export function refused(why: string): Verdict {
  return { kind: 'refused', why };
}

/** The value of a header that occurs exactly once; undefined otherwise. */
export function onlyValue(call: IncomingCall, name: string): string | undefined {
  const values = call.headers.get(name.toLowerCase()) ?? [];
  return values.length === 1 ? values[0] : undefined;
}

/** Whether a signed moment in whole seconds is near enough to now. */
export function isRecent(seconds: string, call: IncomingCall): boolean {
  if (!/^\d{1,12}$/.test(seconds)) return false;
  return Math.abs(Number(seconds) * 1000 - call.receivedAt) <= signedTimeToleranceMs;
}
