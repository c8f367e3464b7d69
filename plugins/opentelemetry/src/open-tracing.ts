// The way of a span: from the server's port through the batches of the SDK to the exporter that the
// environment names. The SDK reads most OTEL_* variables by itself.
import type { OpenTracing, TracingFacts } from '@downbeat/plugin';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  type Resource,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { exporterFor, WatchedExporter } from './exporter.js';
import { samplerOf } from './sampler.js';
import { SdkTracer } from './sdk-tracer.js';

/** Throws an Error that names the variable whose value cannot be used. */
export function openTracing(facts: TracingFacts): OpenTracing {
  return tracingTo(exporterFor(facts.environment), facts);
}

/** Spans go to `given`, whatever the environment says of exporters. */
export function tracingTo(given: SpanExporter, facts: TracingFacts): OpenTracing {
  const exporter = new WatchedExporter(given, facts.warn);
  const processor = new BatchSpanProcessor(exporter);
  const tracer = new SdkTracer({
    processor,
    sampler: samplerOf(facts.environment),
    resource: resourceOf(facts),
    scope: { name: 'downbeat', version: facts.serverVersion },
  });
  return { tracer, trouble: () => exporter.trouble, stop: () => processor.shutdown() };
}

/** OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win over what the server says of itself. */
function resourceOf({ serverVersion, nodeId }: TracingFacts): Resource {
  const own = resourceFromAttributes({
    'service.name': 'downbeat',
    'service.version': serverVersion,
    'service.instance.id': nodeId,
  });
  const given = detectResources({ detectors: [envDetector] });
  return defaultResource().merge(own).merge(given);
}
