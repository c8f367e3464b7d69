// The services that both the tasks and the areas of plug-ins are lent.
import type { Fetch, OutboundRequest, OutboundResponse } from '../system-task/outbound-request.js';

/** The one way out over HTTP. */
export interface PluginHttp {
  /** Rejects with an error whose `kind` says why there is no answer (`isOutboundError`). */
  request(request: OutboundRequest): Promise<OutboundResponse>;
  /** The platform's `fetch` under the same rules; `signal` ends what is still open. */
  fetchFor(signal: AbortSignal): Fetch;
}

/** Values of the settings of a plug-in, by name. */
export type PluginSettingValues = {
  readonly [name: string]: string | boolean | number | readonly string[];
};
