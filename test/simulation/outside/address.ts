// The address that outgoing webhooks of a simulation tell. While there are faults it sometimes
// refuses, answers late, or takes what it is told without an answer that arrives.
import type { Send } from '../../../src/areas/outgoing/delivery-worker.js';
import type { Random } from '../../torture/random.js';
import type { NodeClock } from '../node-clock.js';
import type { Scheduler } from '../scheduler.js';

export interface Told {
  /** The same for each attempt of one delivery. */
  readonly deliveryId: string;
  readonly type: string;
  /** Of the execution, or of the human task. */
  readonly about: string;
}

const underWayMs = 3;
const giveUpMs = 2000;
const refuses = 0.15;
const answersInVain = 0.1;

export class Address {
  readonly told: Told[] = [];
  isMoody = true;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly random: Random,
  ) {}

  /** What a node sends with. What has left a node that dies arrives all the same. */
  sendFrom(clock: NodeClock): Send {
    return ({ headers, body }) =>
      new Promise((resolve, reject) => {
        const back = (settle: () => void): void => void this.#after(() => clock.happen(settle));
        clock.after(giveUpMs, () => reject(new Error('The address did not answer')));
        this.#after(() => {
          if (this.#chance(refuses)) return back(() => resolve(503));
          this.told.push(toldBy(headers, body));
          if (!this.#chance(answersInVain)) back(() => resolve(204));
        });
      });
  }

  #after(happens: () => void): void {
    this.scheduler.after(this.random.next() * underWayMs, happens);
  }

  #chance(probability: number): boolean {
    return this.isMoody && this.random.next() < probability;
  }
}

function toldBy(headers: readonly (readonly [string, string])[], body: string): Told {
  const { type, data } = JSON.parse(body) as {
    type: string;
    data: { workflowId: string; taskId?: string };
  };
  const [, deliveryId = ''] = headers.find(([name]) => name === 'webhook-id') ?? [];
  return { deliveryId, type, about: data.taskId ?? data.workflowId };
}
