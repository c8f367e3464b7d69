// Work that would hold up the event loop for long, or that a hostile document could make so: it is
// carried out by a process of its own (heavy-work.ts), which is ended when it takes too long.
import type { RuleFormat, RuleTable } from '../rules/rule-table.js';

/** A document, read as text. */
export interface ReadJob {
  readonly kind: ReadKind;
  readonly bytes: Uint8Array;
  /** Of HTML. */
  readonly charset: string;
}

/** Markdown set as a PDF. */
export interface PdfJob {
  readonly kind: 'write-pdf';
  readonly markdown: string;
  readonly layout: PdfLayout;
}

export interface PdfLayout {
  readonly pageSize: string;
  /** Points: top, right, bottom, left. */
  readonly margins: readonly [number, number, number, number];
  readonly fontSize: number;
  /** Whether lines and paragraphs stand close together. */
  readonly isCompact: boolean;
  /** Title, Author, Subject, Keywords. */
  readonly facts: { readonly [name: string]: string };
}

/** A rule file, read as a table. */
export interface RulesJob {
  readonly kind: 'rule-table';
  readonly bytes: Uint8Array;
  readonly format: RuleFormat;
}

export type ReadKind = 'html-text' | 'pdf-text' | 'csv-text' | 'tsv-text' | 'json-text';

/** The module of a plug-in, which exports a function `run`. */
export interface ProgramJob {
  readonly kind: 'program';
  readonly url: string;
  /** Given to `run`. */
  readonly order: unknown;
}

export type HeavyJob = ReadJob | PdfJob | RulesJob | ProgramJob;

/** What a process is told to do. */
export interface HeavyOrder {
  readonly job: HeavyJob;
  readonly resultBytesMax: number;
}

/** What the jobs give. */
export interface HeavyResults {
  'html-text': string;
  'pdf-text': string;
  'csv-text': string;
  'tsv-text': string;
  'json-text': string;
  'rule-table': RuleTable;
  'write-pdf': Uint8Array;
  program: unknown;
}

export type HeavyAnswer =
  { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly reason: string };
