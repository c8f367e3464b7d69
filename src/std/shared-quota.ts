// A quota of a fixed size that several callers share. A caller may take as much as is left free
// after it: one alone has half of the quota, two have a third each, and there is always some left
// for the next caller (dynamic thresholds). Callers without a name, as where authentication is off,
// count as one and have the whole quota.

export class SharedQuota {
  #taken = 0;
  readonly #byCaller = new Map<string, number>();

  constructor(private readonly max: number) {}

  get taken(): number {
    return this.#taken;
  }

  /**
   * Whether a caller may take so much more. A caller that holds nothing may, as long as any is
   * free.
   */
  allows(caller: string, amount: number): boolean {
    if (this.#taken >= this.max) return false;
    if (caller === '') return true;
    const own = this.#byCaller.get(caller) ?? 0;
    return own === 0 || own + amount <= this.max - this.#taken;
  }

  take(caller: string, amount: number): void {
    this.#taken += amount;
    if (caller !== '') this.#byCaller.set(caller, (this.#byCaller.get(caller) ?? 0) + amount);
  }

  release(caller: string, amount: number): void {
    this.#taken -= amount;
    if (caller === '') return;
    const left = (this.#byCaller.get(caller) ?? 0) - amount;
    if (left > 0) this.#byCaller.set(caller, left);
    else this.#byCaller.delete(caller);
  }
}
