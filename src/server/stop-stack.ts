// The started parts, which are stopped in the reverse order. A part that fails to stop does not
// keep the others running.
import type { Service } from '../std/service.js';

export class StopStack {
  #stops: { name: string; stop: () => unknown }[] = [];
  #current = '';

  constructor(private readonly failed: (error: unknown) => void) {}

  /** Name of the part that is being stopped; '' before and after. */
  get current(): string {
    return this.#current;
  }

  push(name: string, stop: () => unknown): void {
    this.#stops.push({ name, stop });
  }

  /** Starts services one after the other. */
  async start(services: readonly Service[]): Promise<void> {
    for (const service of services) {
      await service.start();
      this.push(service.constructor.name, () => service.stop());
    }
  }

  /** Stops everything; may be called twice. */
  async stop(): Promise<void> {
    for (const { name, stop } of this.#stops.splice(0).reverse()) {
      this.#current = name;
      try {
        await stop();
      } catch (error) {
        this.failed(error);
      }
    }
    this.#current = '';
  }
}
