// Settings of identities: tokens and sessions, limits of callers, and sign-in by a provider.
import {
  flag,
  integer,
  isLoopback,
  list,
  SettingError,
  text,
  type SettingsOf,
} from '../../settings/setting.js';

export const identitySettings = {
  auth: flag('Callers need a token; off, everybody is an administrator', false),
  tokenSeconds: integer('How long a token is valid unless asked otherwise, seconds', 86_400, 1),
  tokenSecondsMax: integer('Longest life that may be asked for, seconds; 0 = any', 2_592_000, 0),
  sessionIdleSeconds: integer(
    'A session of the page that nobody used for so long ends, seconds; 0 = it does not',
    28_800,
    0,
  ),
  sessionsPerUserMax: integer(
    'Sessions and tokens of one user; the oldest ends when one more begins',
    100,
    1,
  ),
  invitationSeconds: integer('How long an invitation counts, seconds', 604_800, 60),
  requestsPerSecondMax: integer('Requests per second of one key or user; 0 = any', 0, 0),
  signInFailuresMax: integer(
    'Failed attempts to sign in to one account from one address before one in 30 s is left; ten times as many from one address to all accounts, and to one account from all addresses it is not known at',
    10,
    1,
  ),
  oidcIssuer: text('Address of the OpenID Connect provider that users may sign in with', ''),
  oidcClientId: text('Client id at that provider', ''),
  oidcClientSecret: text('Client secret at that provider', ''),
  oidcRedirectUrl: text(
    'Address of this server that the provider sends users back to; it ends in /api/sign-in/oidc/callback',
    '',
  ),
  oidcScope: text('What the provider is asked for', 'openid email profile'),
  oidcUserClaim: text('Claim that is the user id', 'email'),
  oidcEmailsVerified: flag(
    'The provider verifies every email address although it sends no email_verified',
    false,
  ),
  oidcGroupsClaim: text('Claim whose values become roles and groups', 'groups'),
  oidcRoles: list('Roles by value of that claim, value=ROLE; * for everybody'),
  oidcGroups: list('Groups by value of that claim, value=group; * for everybody'),
} as const;

export type IdentitySettings = SettingsOf<typeof identitySettings>;

/** Plain HTTP to a provider is for one on this machine. */
export function checkIdentitySettings(settings: IdentitySettings): void {
  const { oidcIssuer, oidcClientId, oidcRedirectUrl } = settings;
  if (oidcIssuer === '') return;
  const issuer = URL.canParse(oidcIssuer) ? new URL(oidcIssuer) : undefined;
  const isLocal = issuer?.protocol === 'http:' && isLoopback(issuer.hostname);
  if (issuer?.protocol !== 'https:' && !isLocal) {
    throw new SettingError(`--oidc-issuer must be an address with https://, not '${oidcIssuer}'.`);
  }
  if (oidcClientId === '' || !URL.canParse(oidcRedirectUrl)) {
    throw new SettingError(
      'With --oidc-issuer, --oidc-client-id and --oidc-redirect-url must be given.',
    );
  }
}
