// Writes attempts to sign in into the audit log: who signed in, and for which account it failed.
// Attempts are summed (areas/audit/summed-audit.ts), because strangers make as many as they
// like. Entries name the account as the request did and never show what was tried.
import { applicationOfSubject } from '../identities.js';
import { AppError } from '../../../model/errors.js';
import type { IssuedToken } from './sign-in.js';
import type { Auditor } from '../../../api/audit.js';
import { statusOf } from '../../../api/errors.js';

export interface SignInAttempt {
  /** Name of the endpoint. */
  readonly action: string;
  /** Key id or user id as the request names it; '' when it names none. */
  readonly account: string;
  /** Address of the client. */
  readonly address: string;
}

const accountCharsMax = 100;

/** Runs the attempt and records what came of it. Rejects as `run` does. */
export async function auditedSignIn(
  note: Auditor['note'],
  attempt: SignInAttempt,
  run: () => Promise<IssuedToken>,
): Promise<IssuedToken> {
  const issued = await auditedFailure(note, attempt, run);
  const caller = issued.subject;
  const callerKind = applicationOfSubject(caller) === undefined ? 'user' : 'application';
  await note({ ...entryOf(attempt), caller, callerKind, status: 200 });
  return issued;
}

/** Runs a part of an attempt and records its refusal. Rejects as `run` does. */
export async function auditedFailure<T>(
  note: Auditor['note'],
  attempt: SignInAttempt,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const status = error instanceof AppError ? statusOf(error) : 500;
    if (status === 401 || status === 429) {
      await note({ ...entryOf(attempt), caller: '', callerKind: 'local', status });
    }
    throw error;
  }
}

function entryOf({ action, account, address }: SignInAttempt) {
  return { action, objects: account === '' ? [] : [account.slice(0, accountCharsMax)], address };
}
