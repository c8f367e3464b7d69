// A request to another system over HTTP, and its answer. A part of the contract with plug-ins
// (docs/plugins.md), so it imports nothing of the rest of the server.

export interface OutboundRequest {
  readonly url: URL;
  readonly method: string;
  /** Any case; repeated headers as lists. */
  readonly headers: ReadonlyMap<string, string | readonly string[]>;
  readonly body: string | undefined;
  /** From here to a connection that takes the request. */
  readonly connectTimeoutMs: number;
  /** Longest silence of the peer. */
  readonly readTimeoutMs: number;
  readonly followRedirects: boolean;
  /** Headers that a redirect to another origin does not get, beside those that never get there. */
  readonly privateHeaders?: readonly string[];
  readonly signal: AbortSignal;
}

export interface OutboundResponse {
  readonly statusCode: number;
  /** As the peer sent it. */
  readonly reasonPhrase: string;
  /** Names as the peer sent them. */
  readonly headers: { [name: string]: string[] };
  readonly body: Buffer;
}

/** First value of a header, named in small letters; empty when it is absent. */
export function headerOf(response: OutboundResponse, name: string): string {
  const sent = Object.keys(response.headers).find((each) => each.toLowerCase() === name);
  return sent === undefined ? '' : (response.headers[sent]?.[0] ?? '');
}

/** `fetch` of the platform, as far as it is offered here. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;
