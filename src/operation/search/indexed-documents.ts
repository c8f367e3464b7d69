// The executions of a text index: number, name, status and start time of each, in arrays. The id
// begins the text of a document, so a number is found by the random part of the id and confirmed
// there.
import type { ExecutionId } from '../../std/ids.js';
import { TextCorpus } from '../../std/text-corpus.js';
import { workflowStatuses, type WorkflowStatus } from '../../model/status.js';

/** Between the texts of a document; no text holds it. */
export const textsEnd = '\u0001';

export interface IndexedFacts {
  readonly name: string;
  readonly status: WorkflowStatus;
  readonly startedAt: number;
}

const idChars = 36;

export class IndexedDocuments {
  readonly corpus = new TextCorpus();
  readonly #names: string[] = [];
  readonly #nameNumbers = new Map<string, number>();
  #startedAt = new Float64Array(1024);
  #nameOf = new Uint32Array(1024);
  #statusOf = new Uint8Array(1024);
  #next = 0;
  readonly #free: number[] = [];
  /** Numbers by hash, plus one; open addressing. */
  #table = new Int32Array(4096);
  #count = 0;
  #entries = 0;
  /** Documents whose texts are too long to be kept. */
  readonly cut = new Set<number>();

  get count(): number {
    return this.#count;
  }

  /** Puts or replaces one. `text` is undefined when it is too long to be kept. */
  put(id: ExecutionId, facts: IndexedFacts, text: string | undefined): void {
    let document = this.#find(id);
    if (document === undefined) {
      document = this.#free.pop() ?? this.#next++;
      this.#grow(document + 1);
      this.#count += 1;
      this.corpus.put(document, id + textsEnd + (text ?? ''));
      this.#insert(id, document);
    } else {
      this.corpus.put(document, id + textsEnd + (text ?? ''));
    }
    if (text === undefined) this.cut.add(document);
    else this.cut.delete(document);
    this.#startedAt[document] = facts.startedAt;
    this.#nameOf[document] = this.#numberOf(facts.name);
    this.#statusOf[document] = workflowStatuses.indexOf(facts.status);
  }

  remove(id: ExecutionId): void {
    const document = this.#find(id);
    if (document === undefined) return;
    // Its place in the table stays, as that of a number that no text confirms.
    this.corpus.remove(document);
    this.cut.delete(document);
    this.#free.push(document);
    this.#count -= 1;
  }

  idOf(document: number): ExecutionId {
    return this.corpus.text(document).slice(0, idChars) as ExecutionId;
  }

  startedAt(document: number): number {
    return this.#startedAt[document] as number;
  }

  facts(document: number): IndexedFacts {
    return {
      name: this.#names[this.#nameOf[document] as number] as string,
      status: workflowStatuses[this.#statusOf[document] as number] as WorkflowStatus,
      startedAt: this.startedAt(document),
    };
  }

  /** Numbers by name; a filter on names asks once for each. */
  namesThat(fits: (name: string) => boolean): Uint8Array {
    return Uint8Array.from(this.#names, (name) => (fits(name) ? 1 : 0));
  }

  nameNumber(document: number): number {
    return this.#nameOf[document] as number;
  }

  statusNumber(document: number): number {
    return this.#statusOf[document] as number;
  }

  #numberOf(name: string): number {
    let number = this.#nameNumbers.get(name);
    if (number === undefined) {
      number = this.#names.push(name) - 1;
      this.#nameNumbers.set(name, number);
    }
    return number;
  }

  #find(id: ExecutionId): number | undefined {
    const mask = this.#table.length - 1;
    for (let place = hashOf(id) & mask; ; place = (place + 1) & mask) {
      const entry = this.#table[place] as number;
      if (entry === 0) return undefined;
      if (this.corpus.has(entry - 1) && this.idOf(entry - 1) === id) return entry - 1;
    }
  }

  #insert(id: ExecutionId, document: number): void {
    if (this.#entries * 2 >= this.#table.length) this.#rebuild();
    else this.#place(id, document);
  }

  #place(id: ExecutionId, document: number): void {
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
    const nameOf = new Uint32Array(length);
    nameOf.set(this.#nameOf);
    this.#nameOf = nameOf;
    const statusOf = new Uint8Array(length);
    statusOf.set(this.#statusOf);
    this.#statusOf = statusOf;
  }
}

/** Of the random part of an id. */
function hashOf(id: ExecutionId): number {
  return Number.parseInt(id.slice(4, 8) + id.slice(9, 12), 16) | 0;
}
