// Settings of access: tokens, limits of callers, secrets, the audit log, and sign-in by a provider
// of identities.
import { flag, integer, list, text } from './setting.js';

export const accessSettings = {
  auth: flag('Callers need a token; off, everybody is an administrator', false),
  allowUnauthenticated: flag('Listens beyond loopback although authentication is off', false),
  restrictTaskDefinitions: flag(
    'Every task definition counts as restricted: using it in a workflow needs EXECUTE on it',
    false,
  ),
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
  metricsToken: flag('/metrics asks for a token too', false),
  apiDocsToken: flag('/api-docs asks for a token too', false),
  requestsPerSecondMax: integer('Requests per second of one key or user; 0 = any', 0, 0),
  signInFailuresMax: integer(
    'Failed attempts to sign in to one account from one address before one in 30 s is left; ten times as many from one address to all accounts, and to one account from all addresses it is not known at',
    10,
    1,
  ),
  auditEntriesMax: integer('Entries of the audit log; the oldest go first', 100_000, 1000),
  secretsKey: text(
    'Key that seals stored secrets: 32 bytes in base64, a name and a colon before it if wanted; several lines for a rotation',
    '',
  ),
  secretsKeyFile: text('File with such keys, read again every half minute', ''),
  secretsKeyCommand: text('Command whose output is such keys', ''),
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
