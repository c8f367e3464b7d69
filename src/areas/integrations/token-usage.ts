// Tokens that models use, by UTC day, and how many they may use (contract-admin 14.2).
import type { Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import { authorship, type Authorship } from '../../model/registry/fields.js';
import { changeRecord } from '../../operation/records/change-record.js';
import { jsonCodec, type RecordTable } from '../../operation/records/record-table.js';
import type { UsedTokens } from '../../plugin/plugin.js';
import type { Clock } from '../../std/clock.js';
import type { LimitPeriod, TokenLimit } from './integration.js';
import { apiId } from './port.js';

export interface UsageRecord {
  readonly id: string;
  /** By the day's first moment, epoch ms. */
  readonly days: { readonly [start: string]: UsedTokens };
  /** Of all days, also those that are not kept. */
  readonly totalTokens: number;
}

export interface LimitRecord extends TokenLimit, Authorship {
  readonly id: string;
}

export const usageCodec = jsonCodec<UsageRecord>('token-usage', ({ id }) => id);
export const limitCodec = jsonCodec<LimitRecord>('token-limit', ({ id }) => id);

const dayMs = 86_400_000;
const daysKept = 400;

export class TokenUsage {
  constructor(
    private readonly parts: {
      readonly usage: RecordTable<UsageRecord>;
      readonly limits: RecordTable<LimitRecord>;
      readonly clock: Clock;
    },
  ) {}

  /** Tokens that a model has ever used. */
  total(provider: string, api: string): number {
    return this.parts.usage.get(apiId(provider, api))?.totalTokens ?? 0;
  }

  /** Days of the last `days` on which the model was used, oldest first. */
  history(
    provider: string,
    api: string,
    days: number,
  ): readonly (UsedTokens & { readonly periodStart: number })[] {
    const from = this.#today() - (days - 1) * dayMs;
    return Object.entries(this.parts.usage.get(apiId(provider, api))?.days ?? {})
      .map(([start, tokens]) => ({ periodStart: Number(start), ...tokens }))
      .filter(({ periodStart }) => periodStart >= from)
      .sort((a, b) => a.periodStart - b.periodStart);
  }

  async add(provider: string, api: string, used: UsedTokens): Promise<void> {
    const id = apiId(provider, api);
    const today = this.#today();
    const added = (known: UsageRecord | undefined): UsageRecord => {
      const kept = Object.entries(known?.days ?? {}).filter(
        ([start]) => Number(start) > today - daysKept * dayMs,
      );
      const days = Object.fromEntries(kept);
      days[today] = sum(days[today], used);
      return { id, days, totalTokens: (known?.totalTokens ?? 0) + used.totalTokens };
    };
    await changeRecord(this.parts.usage, id, added);
  }

  limitOf(provider: string, api: string): LimitRecord | undefined {
    return this.parts.limits.get(apiId(provider, api));
  }

  async setLimit(caller: Caller, provider: string, api: string, limit: TokenLimit): Promise<void> {
    const id = apiId(provider, api);
    const now = this.parts.clock.now();
    const { maxTokens, tokenLimitPeriod } = limit;
    await changeRecord(this.parts.limits, id, (known) => ({
      ...{ id, maxTokens, tokenLimitPeriod },
      ...authorship(known, caller.id, now),
    }));
  }

  /** Throws AppError 'too-many' when the model has used what it may in this period. */
  requireRoom(provider: string, api: string): void {
    const limit = this.limitOf(provider, api);
    if (limit === undefined || limit.maxTokens === 0) return;
    const start = periodStart(limit.tokenLimitPeriod, this.#today());
    const used = this.history(provider, api, daysKept)
      .filter((day) => day.periodStart >= start)
      .reduce((all, { totalTokens }) => all + totalTokens, 0);
    if (used < limit.maxTokens) return;
    const period = limit.tokenLimitPeriod.toLowerCase();
    const id = apiId(provider, api);
    throw new AppError(
      'too-many',
      `${id} has used ${used} of ${limit.maxTokens} tokens this ${period}`,
    );
  }

  /** Of a model that is deleted. */
  async forget(provider: string, api: string): Promise<void> {
    await this.parts.usage.remove(apiId(provider, api));
    await this.removeLimit(provider, api);
  }

  async removeLimit(provider: string, api: string): Promise<void> {
    await this.parts.limits.remove(apiId(provider, api));
  }

  #today(): number {
    return Math.floor(this.parts.clock.now() / dayMs) * dayMs;
  }
}

/** Weeks begin on Monday. */
function periodStart(period: LimitPeriod, today: number): number {
  if (period === 'DAY') return today;
  const date = new Date(today);
  if (period === 'WEEK') return today - ((date.getUTCDay() + 6) % 7) * dayMs;
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

function sum(a: UsedTokens | undefined, b: UsedTokens): UsedTokens {
  return {
    promptTokens: (a?.promptTokens ?? 0) + b.promptTokens,
    completionTokens: (a?.completionTokens ?? 0) + b.completionTokens,
    totalTokens: (a?.totalTokens ?? 0) + b.totalTokens,
  };
}
