// Passwords of persons, kept as scrypt hashes. Checking one costs about 60 ms on a thread of the
// pool and 32 MB, so only a few are checked at a time.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { Limiter } from '../std/limiter.js';

/** Cost of scrypt: N, r, p. OWASP's figures for N = 2^15. */
const cost = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 };
const hashBytes = 32;
const checksAtOnceMax = 2;
const checks = new Limiter(checksAtOnceMax);

/** Shortest and longest password, characters. */
export const passwordLength = { min: 8, max: 256 } as const;

/** `scrypt$N$r$p$salt$hash`, salt and hash in base64. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, cost);
  const { N, r, p } = cost;
  return ['scrypt', N, r, p, salt.toString('base64'), hash.toString('base64')].join('$');
}

/**
 * Whether the password is the hashed one. Without a stored hash as much time goes by as with one,
 * so that an answer's time does not tell which persons there are.
 */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [kind, N, r, p, salt = '', hash = ''] = (stored ?? nobodysHash).split('$');
  if (kind !== 'scrypt' || password.length > passwordLength.max) return false;
  const right = Buffer.from(hash, 'base64');
  const parameters = { ...cost, N: Number(N), r: Number(r), p: Number(p) };
  const given = await derive(password, Buffer.from(salt, 'base64'), parameters);
  return given.length === right.length && timingSafeEqual(given, right) && stored !== undefined;
}

const nobodysHash = `scrypt$${cost.N}$${cost.r}$${cost.p}$AAAAAAAAAAAAAAAAAAAAAA==$${'A'.repeat(43)}=`;

function derive(password: string, salt: Buffer, parameters: typeof cost): Promise<Buffer> {
  return checks.run(
    () =>
      new Promise((resolve, reject) => {
        scrypt(password.normalize('NFKC'), salt, hashBytes, parameters, (error, key) => {
          if (error === null) resolve(key);
          else reject(error);
        });
      }),
  );
}
