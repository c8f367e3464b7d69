// One turn for all nodes of a keyspace, in which administrators may be taken away. It is a record
// that only one node can store: the node that has it can read all that was stored before. A node
// that dies keeps it for a while, then it counts no more.
import { randomUUID } from 'node:crypto';
import { whileOthersWrite } from '../../../operation/records/change-record.js';
import type { RecordTable } from '../../../operation/records/record-table.js';
import type { Clock } from '../../../std/clock.js';

export interface AdministratorTurn {
  readonly id: string;
  /** Drawn for each turn. */
  readonly holder: string;
  /** Epoch ms, store time: from then on another node may take it. */
  readonly untilAt: number;
}

const id = 'administrators';
/** Less than others try for a turn (change-record.ts), more than a write takes. */
const turnMsMax = 5000;

export class AdministratorTurns {
  constructor(
    private readonly table: RecordTable<AdministratorTurn>,
    private readonly clock: Clock,
  ) {}

  /**
   * Carries `work` out while no other node does. Rejects with AppError 'unavailable' when others
   * have the turn for too long.
   */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const { table, clock } = this;
    const revision = await whileOthersWrite(
      () => 'the administrators',
      () => this.#take(),
      clock,
    );
    try {
      return await work();
    } finally {
      const given = { kind: table.codec.kind, id, text: undefined, condition: revision };
      // The work is done: a turn that cannot be given back ends by itself.
      await table.write([given]).catch(() => undefined);
    }
  }

  /** The revision of the turn that is ours; undefined while another node has it. */
  async #take(): Promise<number | undefined> {
    const { table, clock } = this;
    await table.follow(Number.MAX_SAFE_INTEGER);
    const known = table.get(id);
    const now = clock.now();
    if (known !== undefined && known.untilAt > now) return undefined;
    const turn = { id, holder: randomUUID(), untilAt: now + turnMsMax };
    const isOurs = await table.put(turn, known === undefined ? 'absent' : table.revisionOf(id));
    return isOurs ? table.revisionOf(id) : undefined;
  }
}
