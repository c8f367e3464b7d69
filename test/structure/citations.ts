// Resolves what comments, test titles and pages cite of the handbook: `semantics 2.7.1`,
// `contract-core 15.3`, `invariants M5`, `architecture section 3`, `decision 0004`.
//
// An anchor of a page is the number of a heading (`### 2.7 Failure of a task`), the number that
// opens a bold phrase (`**2.7.1 Retry rule.**`, `**M5 State is the outbox.**`), an item of a
// numbered list below one of these (item 2 below 5.4 is 5.4.2), or the id in the first column of a
// table (`| S18 |`).

export interface Citation {
  /** Name of the page without `.md`, or `decision`. */
  readonly document: string;
  /** `2.7.1`, `M5`, `section 3`, `0004`. */
  readonly reference: string;
  /** Line where the citation begins, from 1. */
  readonly line: number;
}

/** Pages by name, each with its anchors; decisions stand under `decision`. */
export type Anchors = ReadonlyMap<string, ReadonlySet<string>>;

const pages = ['invariants', 'semantics', 'contract-core', 'contract-admin', 'interface'];
const reference = String.raw`[A-Z]?\d+(?:\.\d+)*`;
const references = `${reference}(?:(?:,? and|,|,? to|;) ${reference})*`;
const citation = new RegExp(
  [
    String.raw`\b(?<page>${pages.join('|')})(?<section> section)? (?<list>${references})`,
    String.raw`\barchitecture(?<prefix>,? (?:section|idea)s?)? (?<sections>${references})`,
    String.raw`\bdecisions? (?<decisions>\d+(?:(?:,| and) \d+)*)\b`,
  ].join('|'),
  'gi',
);
/** Begins of comment lines, which may stand between the words of a citation. */
const lineBreak = /\s*\n\s*(?:\/\/|\*(?!\/)|--|#)?\s*/g;

export function findCitations(text: string): Citation[] {
  const { flat, lineAt } = flatten(text);
  return [...flat.matchAll(citation)].flatMap((match) => {
    const { page, section, list, prefix, sections, decisions } = match.groups ?? {};
    const line = lineAt(match.index);
    const cite = (document: string, found: string, lead = ''): Citation[] =>
      (found.match(new RegExp(reference, 'g')) ?? []).map((one) => ({
        document,
        reference: `${lead}${one}`,
        line,
      }));
    if (decisions !== undefined) return cite('decision', decisions);
    if (sections !== undefined) return cite('architecture', sections, leadOf(prefix));
    return cite((page ?? '').toLowerCase(), list ?? '', section === undefined ? '' : 'section ');
  });
}

function leadOf(prefix: string | undefined): string {
  return prefix === undefined ? '' : `${prefix.replace(/^,? /, '').replace(/s$/, '')} `;
}

/** The text on one line, and the line of the original at each of its places. */
function flatten(text: string): { flat: string; lineAt: (index: number) => number } {
  const breaks: number[] = [];
  let flat = '';
  let from = 0;
  for (const match of text.matchAll(lineBreak)) {
    flat += text.slice(from, match.index) + ' ';
    const count = match[0].split('\n').length - 1;
    for (let i = 0; i < count; i++) breaks.push(flat.length);
    from = match.index + match[0].length;
  }
  flat += text.slice(from);
  return { flat, lineAt: (index) => 1 + breaks.filter((at) => at <= index).length };
}

/** Anchors of a page of the handbook. */
export function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  let parent = '';
  for (const line of markdown.split('\n')) {
    const heading = /^#+ (\d+(?:\.\d+)*)\.? /.exec(line)?.[1];
    const bold = /^\*\*([A-Z]?\d+(?:\.\d+)*)[ *]/.exec(line)?.[1];
    const item = /^(\d+)\. /.exec(line)?.[1];
    const row = /^\| \**([A-Z]\d+)\** \|/.exec(line)?.[1];
    const opened = heading ?? bold;
    if (opened !== undefined) parent = opened;
    else if (/^#/.test(line)) parent = '';
    const anchor = opened ?? row ?? (item === undefined ? undefined : child(parent, item));
    if (anchor !== undefined) anchors.add(anchor);
  }
  return anchors;
}

function child(parent: string, item: string): string {
  return parent === '' ? item : `${parent}.${item}`;
}

/** What is wrong with a citation; undefined when it resolves. */
export function faultOf(cited: Citation, anchors: Anchors): string | undefined {
  const { document, reference: full } = cited;
  if (document === 'architecture' && !full.startsWith('section ')) {
    return 'is written `architecture section N`';
  }
  if (document === 'decision' && !/^\d{4}$/.test(full)) return 'is written `decision NNNN`';
  const known = anchors.get(document);
  if (known === undefined) return `names no page of docs`;
  return known.has(full.replace(/^section /, '')) ? undefined : 'names no anchor of the page';
}
