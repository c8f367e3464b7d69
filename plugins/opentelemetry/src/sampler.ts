// Which traces are wanted: OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG, by the names that
// OpenTelemetry gives.
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
} from '@opentelemetry/sdk-trace-base';

type Environment = { readonly [name: string]: string | undefined };

const samplers: Readonly<Record<string, (ratio: () => number) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio()),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio) =>
    new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio()) }),
};

/** Throws an Error that names the variable whose value is unknown. */
export function samplerOf(environment: Environment): Sampler {
  const name = environment['OTEL_TRACES_SAMPLER']?.trim() || 'parentbased_always_on';
  const create = Object.hasOwn(samplers, name) ? samplers[name] : undefined;
  if (create !== undefined) return create(() => ratioIn(environment));
  const known = Object.keys(samplers).join(', ');
  throw new Error(`OTEL_TRACES_SAMPLER is ${name}; it may be ${known}`);
}

function ratioIn(environment: Environment): number {
  const text = environment['OTEL_TRACES_SAMPLER_ARG']?.trim() || '1';
  const ratio = Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw new Error(`OTEL_TRACES_SAMPLER_ARG is ${text}; it must be a number from 0 to 1`);
}
