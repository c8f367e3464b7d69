// One metrics page from those of several processes. Counters and histograms are summed, also over
// processes that have ended, so that no sum falls. A gauge of the whole cluster stands once, with
// the greatest value of those that tell it; any other gauge stands once for every process, told
// apart by the label `process`. Pages are those of prom-client: no timestamps, each metric behind
// its HELP and TYPE.
import { metricNames, type MetricName } from './metric-names.js';

interface Family {
  readonly name: string;
  /** Its HELP and TYPE. */
  readonly head: string;
  readonly isSummed: boolean;
  /** By name and labels as they are written. */
  readonly samples: Map<string, number>;
}
type Page = ReadonlyMap<string, Family>;

/** A process of the start, and whether it has told its page now. */
export interface ProcessPage {
  readonly process: string;
  /** undefined: it does not answer. */
  readonly text: string | undefined;
}

const summedTypes = new Set(['counter', 'histogram', 'summary']);
const upName = metricNames.processUp.name;

export class SummedPages {
  readonly #last = new Map<string, Page>();
  /** Sums of processes that have ended. */
  readonly #ended = new Map<string, Family>();
  readonly #ofCluster: ReadonlySet<string>;

  /** `metrics`: those that pages may tell. */
  constructor(metrics: readonly MetricName[]) {
    const ofCluster = metrics.filter(({ isOfCluster }) => isOfCluster);
    this.#ofCluster = new Set(ofCluster.map(({ name }) => name));
  }

  /** The process has ended. Its counters stay in the sums; what starts next counts from nothing. */
  ended(process: string): void {
    const page = this.#last.get(process);
    this.#last.delete(process);
    for (const family of page?.values() ?? []) if (family.isSummed) addTo(this.#ended, family);
  }

  /** The page of all. The last page of a silent process stays in the sums. */
  text(pages: readonly ProcessPage[]): string {
    const all = new Map<string, Family>();
    for (const { process, text } of pages) {
      if (text !== undefined) this.#last.set(process, readPage(text));
      for (const family of this.#last.get(process)?.values() ?? []) {
        if (family.name === upName) continue;
        if (family.isSummed) addTo(all, family);
        else if (text === undefined) continue;
        else if (this.#ofCluster.has(family.name)) addTo(all, family, Math.max);
        else addTo(all, labelled(family, process));
      }
    }
    for (const family of this.#ended.values()) addTo(all, family);
    return `${[...all.values(), upOf(pages)].map(written).join('\n\n')}\n`;
  }
}

const sum = (one: number, other: number): number => one + other;

function addTo(
  all: Map<string, Family>,
  { samples, ...family }: Family,
  join: (one: number, other: number) => number = sum,
): void {
  const known = all.get(family.name)?.samples;
  const into = known ?? new Map<string, number>();
  if (known === undefined) all.set(family.name, { ...family, samples: into });
  for (const [key, value] of samples) {
    const other = into.get(key);
    into.set(key, other === undefined ? value : join(other, value));
  }
}

function labelled({ samples, ...family }: Family, process: string): Family {
  const label = `process="${process}"`;
  const withLabel = (key: string): string => {
    const at = key.indexOf('{');
    return at < 0 ? `${key}{${label}}` : `${key.slice(0, at)}{${label},${key.slice(at + 1)}`;
  };
  return {
    ...family,
    samples: new Map([...samples].map(([key, value]) => [withLabel(key), value])),
  };
}

function upOf(pages: readonly ProcessPage[]): Family {
  const { name, help } = metricNames.processUp;
  return {
    name,
    head: `# HELP ${name} ${help}\n# TYPE ${name} gauge`,
    isSummed: false,
    samples: new Map(
      pages.map(({ process, text }) => [
        `${name}{process="${process}"}`,
        text === undefined ? 0 : 1,
      ]),
    ),
  };
}

function readPage(text: string): Page {
  const page = new Map<string, Family>();
  let help = '';
  let family: Family | undefined;
  for (const line of text.split('\n')) {
    if (line.startsWith('# HELP ')) help = line;
    else if (line.startsWith('# TYPE ')) {
      const [, , name = '', type = ''] = line.split(' ');
      const isSummed = summedTypes.has(type);
      family = { name, head: `${help}\n${line}`, isSummed, samples: new Map() };
      page.set(name, family);
    } else if (line !== '') {
      const at = line.lastIndexOf(' ');
      family?.samples.set(line.slice(0, at), valueOf(line.slice(at + 1)));
    }
  }
  return page;
}

function valueOf(text: string): number {
  return /^[+-]Inf$/.test(text) ? Number(`${text}inity`) : Number(text);
}

function written({ head, samples }: Family): string {
  const lines = [...samples].map(([key, value]) => `${key} ${valueText(value)}`);
  return [head, ...lines].join('\n');
}

function valueText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}
