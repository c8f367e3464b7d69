// The program of a process that reads a rule file.
import { readRuleTable, type RuleFormat, type RuleTable } from './rule-table.js';

export interface TableOrder {
  readonly bytes: Uint8Array;
  readonly format: RuleFormat;
}

export async function run({ bytes, format }: TableOrder): Promise<RuleTable> {
  return await readRuleTable(Buffer.from(bytes), format);
}
