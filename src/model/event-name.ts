// Names of events and sinks: `kind:rest` (semantics 6.1), where the rest is a queue, or an
// integration provider and its queue (`kafka:integration:topic`, contract-admin 17.1).

export interface EventName {
  /** Before the first colon, such as `amqp_exchange`. */
  readonly kind: string;
  readonly rest: string;
}

/** undefined without a colon, or with nothing on one side of it. */
export function parseEventName(name: string): EventName | undefined {
  const colon = name.indexOf(':');
  if (colon <= 0 || colon === name.length - 1) return undefined;
  return { kind: name.slice(0, colon), rest: name.slice(colon + 1) };
}

/** `integration:queue`; undefined when the text names no integration. */
export function splitIntegration(
  rest: string,
): { readonly integration: string; readonly queue: string } | undefined {
  const colon = rest.indexOf(':');
  if (colon <= 0 || colon === rest.length - 1) return undefined;
  return { integration: rest.slice(0, colon), queue: rest.slice(colon + 1) };
}
