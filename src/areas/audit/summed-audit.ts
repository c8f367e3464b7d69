// Entries of the audit log for what may happen thousands of times a minute: attempts to sign in and
// reads of secrets. The first of a kind is recorded at once. Later entries of the same kind within
// the window are counted and recorded as one entry with its number, so a flood leaves a line a
// minute for each account and address that it uses. Beyond `kindsMax` of them at once the rest is
// summed as one kind, so that a flood of made-up accounts leaves few lines, too.
import { createHash } from 'node:crypto';
import type { Clock, TimerHandle } from '../../std/clock.js';
import type { Service } from '../../std/service.js';
import type { AuditEntry } from '../../model/audit-entry.js';

export interface SummedAuditParts {
  readonly record: (entry: Omit<AuditEntry, 'at'>) => Promise<void>;
  readonly clock: Clock;
  readonly windowMs: number;
  /** Kinds that are told apart within a window. */
  readonly kindsMax: number;
  /** Told when the store did not take an entry. */
  readonly failed: (error: unknown) => void;
}

type Entry = Omit<AuditEntry, 'at'>;

interface Sum {
  readonly entry: Entry;
  /** After the one that was recorded at once. */
  times: number;
}

/** In place of the names of those that are summed together. */
const others = '(others)';

export class SummedAudit implements Service {
  readonly #sums = new Map<string, Sum>();
  #timer: TimerHandle | undefined;

  constructor(private readonly parts: SummedAuditParts) {}

  async start(): Promise<void> {
    // The first entry arms the window.
  }

  /** Records what is counted by now. */
  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.#recordSums();
  }

  /** Never rejects. The first of its kind is durable when it resolves. */
  async note(given: Entry): Promise<void> {
    const { clock, windowMs, kindsMax } = this.parts;
    const isOwn = this.#sums.has(kindOf(given)) || this.#sums.size < kindsMax;
    const entry = isOwn ? given : { ...given, caller: '', objects: [others], address: '' };
    const kind = kindOf(entry);
    const sum = this.#sums.get(kind);
    if (sum !== undefined) {
      sum.times += 1;
      return;
    }
    this.#sums.set(kind, { entry, times: 0 });
    this.#timer ??= clock.after(windowMs, () => {
      this.#timer = undefined;
      void this.#recordSums();
    });
    await this.#record(entry);
  }

  async #recordSums(): Promise<void> {
    const sums = [...this.#sums.values()];
    this.#sums.clear();
    for (const { entry, times } of sums) if (times > 0) await this.#record({ ...entry, times });
  }

  async #record(entry: Entry): Promise<void> {
    await this.parts.record(entry).catch(this.parts.failed);
  }
}

/** A digest, because names come from outside and may be long. */
function kindOf({ caller, action, objects, status, address }: Entry): string {
  const text = JSON.stringify([caller, action, objects, status, address]);
  return createHash('sha256').update(text).digest('base64');
}
