// Tokens of models: what a call used, and whether a model may use more (contract-admin 14.2).

export interface Tokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
}

export interface TokenBudget {
  /** Throws AppError 'too-many' when the model has used what it may in this period. */
  requireRoom(provider: string, model: string): void;
  /** Records what a call used. */
  add(provider: string, model: string, used: Tokens): Promise<void>;
}
