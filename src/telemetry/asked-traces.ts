// Whether the usual variables of OpenTelemetry ask for traces. Without them no plug-in is asked for
// any, and nothing of it is loaded.

type Environment = { readonly [name: string]: string | undefined };

const endpoints = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;

/** An endpoint or an exporter is named, and neither is switched off. */
export function asksForTraces(environment: Environment): boolean {
  if (environment['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return false;
  const exporter = environment['OTEL_TRACES_EXPORTER']?.trim() ?? '';
  if (exporter !== '') return exporter !== 'none';
  return endpoints.some((name) => (environment[name] ?? '').trim() !== '');
}
