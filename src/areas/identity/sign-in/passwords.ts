// Passwords of persons, kept as scrypt hashes. Checking one costs some 300 ms on a thread of the
// pool and 32 MB, so only a few are checked at a time, and few wait: those of one address take
// turns with those of others (docs/access.md, Attempts to sign in).
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { AppError } from '../../../model/errors.js';
import { FairLanes, type Lane } from '../../../std/fair-lanes.js';

/** Cost of scrypt: N, r, p. OWASP's figures for N = 2^15. */
const cost = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 };
const hashBytes = 32;
const checks = new FairLanes({ atOnceMax: 2, waitingMax: 64, waitingOfLaneMax: 10 });
/** The lane of a signed-in person that sets a password. */
const signedIn: Lane = { name: '', isKnown: true };

/** Shortest and longest password, characters. */
export const passwordLength = { min: 8, max: 256 } as const;

/**
 * `scrypt$N$r$p$salt$hash`, salt and hash in base64. Rejects with AppError 'too-many' while too
 * many passwords wait.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, { parameters: cost, lane: signedIn });
  const { N, r, p } = cost;
  return ['scrypt', N, r, p, salt.toString('base64'), hash.toString('base64')].join('$');
}

/**
 * Whether the password is the hashed one. Without a stored hash as much time goes by as with one,
 * so that an answer's time does not tell which persons there are. `lane`: who asks. Rejects with
 * AppError 'too-many' while too many passwords wait.
 */
export async function isPassword(
  password: string,
  stored: string | undefined,
  lane = signedIn,
): Promise<boolean> {
  const [kind, N, r, p, salt = '', hash = ''] = (stored ?? nobodysHash).split('$');
  if (kind !== 'scrypt' || password.length > passwordLength.max) return false;
  const right = Buffer.from(hash, 'base64');
  const parameters = { ...cost, N: Number(N), r: Number(r), p: Number(p) };
  const given = await derive(password, Buffer.from(salt, 'base64'), { parameters, lane });
  return given.length === right.length && timingSafeEqual(given, right) && stored !== undefined;
}

const nobodysHash = `scrypt$${cost.N}$${cost.r}$${cost.p}$AAAAAAAAAAAAAAAAAAAAAA==$${'A'.repeat(43)}=`;

async function derive(
  password: string,
  salt: Buffer,
  { parameters, lane }: { readonly parameters: typeof cost; readonly lane: Lane },
): Promise<Buffer> {
  const done = await checks.run(
    lane,
    () =>
      new Promise<Buffer>((resolve, reject) => {
        scrypt(password.normalize('NFKC'), salt, hashBytes, parameters, (error, key) => {
          if (error === null) resolve(key);
          else reject(error);
        });
      }),
  );
  if (done !== undefined) return done.value;
  throw new AppError('too-many', 'Too many passwords wait to be checked at this server', {
    retryAfterSeconds: 2,
  });
}
