// The documents of a text index (executions, human tasks): number, name, status and time of each,
// in arrays. The id
// begins the text of a document, so a number is found by a hash of the id and confirmed
// there.
import type { NameOwner } from '../../model/name-registration.js';
import { sectionEnd, TextCorpus } from '../../std/text-corpus.js';

/** The facts that decide the rights on a document: few differ, so each is kept once. */
export interface DocumentOwner {
  readonly name: string;
  /** Of executions (access/execution-rights.ts). */
  readonly nameOwner?: NameOwner | undefined;
  readonly createdBy?: string | undefined;
}

export interface IndexedFacts<Status> extends DocumentOwner {
  readonly status: Status;
  /** Epoch ms that results are ordered by. */
  readonly startedAt: number;
}

const idChars = 36;

export class IndexedDocuments<Id extends string, Status extends string> {
  readonly corpus = new TextCorpus();
  readonly #owners: DocumentOwner[] = [];
  readonly #ownerNumbers = new Map<string, number>();
  #startedAt = new Float64Array(1024);
  #ownerOf = new Uint32Array(1024);
  #statusOf = new Uint8Array(1024);
  #next = 0;
  readonly #free: number[] = [];
  /** Numbers by hash, plus one; open addressing. */
  #table = new Int32Array(4096);
  #count = 0;
  #entries = 0;
  /** Documents whose texts are too long to be kept. */
  readonly cut = new Set<number>();

  constructor(private readonly statuses: readonly Status[]) {}

  get count(): number {
    return this.#count;
  }

  /** Puts or replaces one. `text` is undefined when it is too long to be kept. */
  put(id: Id, facts: IndexedFacts<Status>, text: string | undefined): void {
    let document = this.#find(id);
    if (document === undefined) {
      document = this.#free.pop() ?? this.#next++;
      this.#grow(document + 1);
      this.#count += 1;
      this.corpus.put(document, id + sectionEnd + (text ?? ''));
      this.#insert(id, document);
    } else {
      this.corpus.put(document, id + sectionEnd + (text ?? ''));
    }
    if (text === undefined) this.cut.add(document);
    else this.cut.delete(document);
    this.#startedAt[document] = facts.startedAt;
    this.#ownerOf[document] = this.#numberOf(facts);
    this.#statusOf[document] = this.statuses.indexOf(facts.status);
  }

  remove(id: Id): void {
    const document = this.#find(id);
    if (document === undefined) return;
    // Its place in the table stays, as that of a number that no text confirms.
    this.corpus.remove(document);
    this.cut.delete(document);
    this.#free.push(document);
    this.#count -= 1;
  }

  idOf(document: number): Id {
    return this.corpus.text(document).slice(0, idChars) as Id;
  }

  startedAt(document: number): number {
    return this.#startedAt[document] as number;
  }

  /** By the number of the owner; a filter on names or rights asks once for each. */
  ownersThat(fits: (owner: DocumentOwner) => boolean): Uint8Array {
    return Uint8Array.from(this.#owners, (owner) => (fits(owner) ? 1 : 0));
  }

  ownerOf(document: number): DocumentOwner {
    return this.#owners[this.#ownerOf[document] as number] as DocumentOwner;
  }

  nameOf(document: number): string {
    return this.ownerOf(document).name;
  }

  statusOf(document: number): Status {
    return this.statuses[this.#statusOf[document] as number] as Status;
  }

  ownerNumber(document: number): number {
    return this.#ownerOf[document] as number;
  }

  /** Whether the status of each is among them; undefined: any. */
  statusesThat(wanted: readonly Status[] | undefined): (document: number) => boolean {
    const fit = this.statuses.map((status) => wanted?.includes(status) !== false);
    return (document) => fit[this.#statusOf[document] as number] === true;
  }

  #numberOf({ name, nameOwner, createdBy }: DocumentOwner): number {
    const key = JSON.stringify([name, createdBy, nameOwner]);
    let number = this.#ownerNumbers.get(key);
    if (number === undefined) {
      number = this.#owners.push({ name, nameOwner, createdBy }) - 1;
      this.#ownerNumbers.set(key, number);
    }
    return number;
  }

  #find(id: Id): number | undefined {
    const mask = this.#table.length - 1;
    for (let place = hashOf(id) & mask; ; place = (place + 1) & mask) {
      const entry = this.#table[place] as number;
      if (entry === 0) return undefined;
      if (this.corpus.has(entry - 1) && this.idOf(entry - 1) === id) return entry - 1;
    }
  }

  #insert(id: Id, document: number): void {
    if (this.#entries * 2 >= this.#table.length) this.#rebuild();
    else this.#place(id, document);
  }

  #place(id: Id, document: number): void {
    const mask = this.#table.length - 1;
    let place = hashOf(id) & mask;
    while (this.#table[place] !== 0) place = (place + 1) & mask;
    this.#table[place] = document + 1;
    this.#entries += 1;
  }

  /** With room for twice as many, and without those that are gone. */
  #rebuild(): void {
    this.#table = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(1024, this.#count) * 4)));
    this.#entries = 0;
    for (let document = 0; document < this.#next; document += 1) {
      if (this.corpus.has(document)) this.#place(this.idOf(document), document);
    }
  }

  #grow(size: number): void {
    if (size <= this.#startedAt.length) return;
    const length = 2 * size;
    const startedAt = new Float64Array(length);
    startedAt.set(this.#startedAt);
    this.#startedAt = startedAt;
    const ownerOf = new Uint32Array(length);
    ownerOf.set(this.#ownerOf);
    this.#ownerOf = ownerOf;
    const statusOf = new Uint8Array(length);
    statusOf.set(this.#statusOf);
    this.#statusOf = statusOf;
  }
}

/** The first `limit` of them by their time, then id. */
export function firstOf<Id extends string>(
  index: IndexedDocuments<Id, string>,
  documents: readonly number[],
  { limit, newestFirst }: { limit: number; newestFirst: boolean },
): { id: Id; startedAt: number }[] {
  const sign = newestFirst ? -1 : 1;
  const order = (a: number, b: number): number =>
    sign * (index.startedAt(a) - index.startedAt(b) || (index.idOf(a) < index.idOf(b) ? -1 : 1));
  let kept: number[] = [];
  // Sorted whenever twice as many as wanted have come: few documents are compared more than once.
  let worst: number | undefined;
  for (const document of documents) {
    if (worst !== undefined && order(document, worst) > 0) continue;
    kept.push(document);
    if (kept.length < 2 * limit + 1000) continue;
    kept = kept.sort(order).slice(0, limit);
    worst = kept.at(-1);
  }
  const entries = kept.sort(order).slice(0, limit);
  return entries.map((document) => ({
    id: index.idOf(document),
    startedAt: index.startedAt(document),
  }));
}

/** Of the random part of an id, and of its end: there task ids of one execution differ. */
function hashOf(id: string): number {
  const random = Number.parseInt(id.slice(4, 8) + id.slice(9, 12), 16);
  return random ^ Math.imul(Number.parseInt(id.slice(28), 16), 0x9e3779b1);
}
