// Where this server may connect to, and what it may read there, by its settings.
import type { Settings } from './settings-table.js';
import { systemClock } from '../std/clock.js';
import type { OutboundAccess } from '../system-task/outbound-access.js';
import {
  defaultOutboundSettings,
  OutboundClient,
  type OutboundSettings,
} from '../system-task/outbound-client.js';
import type { Fetch } from '../system-task/outbound-request.js';

/** Where the server may connect to on behalf of users. */
export function outboundAccess(settings: Settings): OutboundAccess {
  const { outboundAllowInside: allowInside, outboundAllowedHosts: allowedHosts } = settings;
  return { allowInside, allowedHosts };
}

/** The one way out over HTTP. */
export function buildOutboundClient(settings: Settings): OutboundClient {
  return new OutboundClient(outboundSettings(settings), systemClock);
}

/**
 * For requests to the identity provider: it may stand inside, because the operator names it; what
 * its discovery document names beside it may not.
 */
export function providerFetch(settings: Settings): Fetch {
  const { hostname } = URL.canParse(settings.oidcIssuer) ? new URL(settings.oidcIssuer) : {};
  const allowedHosts = [...settings.outboundAllowedHosts, (hostname ?? '').replace(/^\[|\]$/g, '')];
  const client = new OutboundClient({ ...outboundSettings(settings), allowedHosts }, systemClock);
  return client.fetchFor(new AbortController().signal);
}

export function outboundSettings(settings: Settings): OutboundSettings {
  return {
    ...defaultOutboundSettings,
    ...outboundAccess(settings),
    responseBytesMax: settings.outboundResponseBytesMax,
  };
}
