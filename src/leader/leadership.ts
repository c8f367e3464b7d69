// Whether this node leads the deployment: exactly what only one node may do (the scheduler) runs
// where this says so. Being told late is harmless: whatever a leader writes carries a fence that a
// newer leader has raised (invariants M2).

export interface Leadership {
  readonly leads: boolean;
  /** Calls back after each change. */
  onChange(listener: (leads: boolean) => void): void;
}
