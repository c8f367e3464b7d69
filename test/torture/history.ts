// The file of a torture run: what its clients saw, what the judges read, and what was done to the
// cluster. It is written when a run fails, and `npm run torture -- --replay FILE` judges it again.
import fs from 'node:fs';
import { checkRun } from './check-run.js';
import { Journal, type HandOutRecord, type ReportRecord, type StartRecord } from './journal.js';
import { RecordedReader, type RunAnswers } from './run-reader.js';

export interface History {
  readonly seed: number;
  /** Epoch ms of zero in the times of the journal. */
  readonly timeOrigin: number;
  /** What was done, in words, with its moment (epoch ms). */
  readonly faults: readonly { readonly at: number; readonly text: string }[];
  readonly journal: Journal;
  /** What was found before anything was read: executions that did not end. */
  readonly undrained: readonly string[];
  readonly answers: RunAnswers;
}

/** As the file has it: hand-outs name their report by its position. */
interface HistoryFile extends Omit<History, 'journal'> {
  readonly journal: {
    readonly starts: readonly StartRecord[];
    readonly handOuts: readonly (Omit<HandOutRecord, 'report'> & { report: number })[];
    readonly reports: readonly ReportRecord[];
    readonly violations: readonly string[];
  };
}

const none = -1;

export function writeHistory(file: string, { journal, ...rest }: History): void {
  const positions = new Map(journal.reports.map((report, i) => [report, i]));
  const handOuts = journal.handOuts.map(({ report, ...handOut }) => ({
    ...handOut,
    report: report === undefined ? none : (positions.get(report) ?? none),
  }));
  const { starts, reports, violations } = journal;
  const written: HistoryFile = { ...rest, journal: { starts, handOuts, reports, violations } };
  fs.writeFileSync(file, JSON.stringify(written));
}

export function readHistory(file: string): History {
  const { journal: stored, ...rest } = JSON.parse(fs.readFileSync(file, 'utf8')) as HistoryFile;
  const journal = new Journal();
  journal.starts.push(...stored.starts);
  journal.reports.push(...stored.reports);
  journal.violations.push(...stored.violations);
  for (const { report: position, ...handOut } of stored.handOuts) {
    const report = journal.reports[position];
    journal.handOuts.push(report === undefined ? handOut : { ...handOut, report });
  }
  return { ...rest, journal };
}

/** The violations of a recorded run, found anew. */
export async function judgeHistory({ journal, answers, undrained }: History): Promise<string[]> {
  return [...undrained, ...(await checkRun(new RecordedReader(answers), journal))];
}
