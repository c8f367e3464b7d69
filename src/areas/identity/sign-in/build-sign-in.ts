// How callers show who they are: with a password, a key or a session, each with its token.
import { RequestRates } from '../../../std/request-rates.js';
import type { Authenticate } from '../../../api/api.js';
import type { Caller } from '../../../model/caller.js';
import { WaitingCallers } from '../../../operation/waiting-callers.js';
import type { Ports } from '../../ports.js';
import { SecondFactors } from '../account/second-factors.js';
import { KeyUses } from '../applications/key-uses.js';
import type { Rights } from '../rights/build-rights.js';
import { Sessions } from '../sessions/sessions.js';
import type { IdentitySettings } from '../settings.js';
import { createAuthenticate } from './authenticate.js';
import { Authenticator, type TokenUses } from './authenticator.js';
import { SignIn } from './sign-in.js';
import { SignInAttempts } from './sign-in-attempts.js';
import { Tokens } from './tokens.js';

export interface SigningIn {
  readonly authenticator: Authenticator;
  readonly authenticate: Authenticate;
  /** Those who wait for a hand-out, checked again when rights change. */
  readonly waiting: WaitingCallers;
  readonly signIn: SignIn;
  readonly sessions: Sessions;
  readonly secondFactors: SecondFactors;
}

type SignInPorts = Pick<Ports, 'clock' | 'log' | 'secretBox' | 'deploymentSecret' | 'web'>;

export function buildSignIn(
  { clock, log, secretBox: box, deploymentSecret, web }: SignInPorts,
  { identities, tags }: Pick<Rights, 'identities' | 'tags'>,
  settings: IdentitySettings,
): SigningIn {
  const tokens = new Tokens(deploymentSecret);
  const idleMs = settings.sessionIdleSeconds * 1000;
  const failed = (error: unknown): void =>
    log.warn({ err: error }, 'the time of a use was not stored');
  const sessions = new Sessions({
    ...{ identities, clock, idleMs, failed },
    sessionsMax: settings.sessionsPerUserMax,
  });
  const secondFactors = new SecondFactors({ table: identities.secondFactors, box, clock });
  const authenticator = new Authenticator({
    uses: tokenUses(sessions, new KeyUses(identities, failed), idleMs),
    tokens,
    identities,
    isEnded: (tokenId) => identities.isEnded(tokenId),
    rates: requestRates(settings.requestsPerSecondMax),
    now: () => clock.now(),
  });
  const waiting = new WaitingCallers(clock, (caller: Caller) => authenticator.renewed(caller));
  identities.onChange(() => waiting.changed());
  tags.table.onChange(() => waiting.changed());
  const signIn = new SignIn({
    ...{ identities, tokens, sessions, secondFactors, clock },
    attempts: new SignInAttempts(settings.signInFailuresMax),
    tokenLifeMs: settings.tokenSeconds * 1000,
    tokenLifeMsMax: settings.tokenSecondsMax * 1000,
  });
  const authenticate = createAuthenticate(authenticator, {
    origins: web.origins,
    secure: web.isSecure,
  });
  return { authenticator, authenticate, waiting, signIn, sessions, secondFactors };
}

/** Uses are looked at once a minute, or more often where sessions end soon. */
const usesEveryMsMax = 60_000;

function tokenUses(sessions: Sessions, keys: KeyUses, idleMs: number): TokenUses {
  return {
    everyMs: idleMs === 0 ? usesEveryMsMax : Math.min(usesEveryMsMax, idleMs / 10),
    isIdle: ({ gen, jti }, now) => gen !== undefined && sessions.isIdle(jti, now),
    used: ({ gen, key, jti }, now) => {
      if (gen !== undefined) sessions.used(jti, now);
      if (key !== undefined) keys.used(key, now);
    },
  };
}

function requestRates(perSecond: number): RequestRates | undefined {
  return perSecond === 0
    ? undefined
    : new RequestRates({ burst: perSecond, refillMs: 1000 / perSecond });
}
