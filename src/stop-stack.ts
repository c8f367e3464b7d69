// What has been started, so that it can be stopped in the reverse order. A part that fails to stop
// does not keep the others running.
import type { Service } from './std/service.js';

export class StopStack {
  #stops: (() => unknown)[] = [];

  constructor(private readonly failed: (error: unknown) => void) {}

  push(stop: () => unknown): void {
    this.#stops.push(stop);
  }

  /** Starts services one after the other. */
  async start(services: readonly Service[]): Promise<void> {
    for (const service of services) {
      await service.start();
      this.push(() => service.stop());
    }
  }

  /** Stops everything; may be called twice. */
  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0).reverse()) {
      try {
        await stop();
      } catch (error) {
        this.failed(error);
      }
    }
  }
}
