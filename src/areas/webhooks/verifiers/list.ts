// The verifiers by name.
import type { VerifierName } from '../webhook.js';
import type { Verifier } from './contract.js';
import { headerBased } from './header-based.js';
import { hmacBased } from './hmac-based.js';
import { sendgrid } from './sendgrid.js';
import { signatureBased } from './signature-based.js';
import { slackBased } from './slack-based.js';
import { stripe } from './stripe.js';
import { twitter } from './twitter.js';

export const verifiers: Readonly<Record<VerifierName, Verifier>> = {
  HEADER_BASED: headerBased,
  HMAC_BASED: hmacBased,
  SENDGRID: sendgrid,
  SIGNATURE_BASED: signatureBased,
  SLACK_BASED: slackBased,
  STRIPE: stripe,
  TWITTER: twitter,
};
