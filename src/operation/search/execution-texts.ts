// Texts of executions that the text index holds: a bare word is looked for in them (fields.ts).
import type { ExecutionId } from '../../std/ids.js';
import { workflowStatuses, type WorkflowStatus } from '../../model/status.js';
import { sectionEnd } from '../../std/text-corpus.js';
import type { ExecutionSummary, SearchStore } from '../../store/search-store.js';
import { ownedOf } from '../access.js';
import { searchedWorkflows } from './fields.js';
import type { IndexedDocuments } from './indexed-documents.js';
import { TextIndex, type IndexedItem, type TextIndexParts } from './text-index.js';

export type ExecutionTexts = TextIndex<ExecutionId, WorkflowStatus>;
export type IndexedExecutions = IndexedDocuments<ExecutionId, WorkflowStatus>;

/** Characters of one execution; a search reads what has more. */
const charsMax = 16 * 1024;

export function createExecutionTexts(
  store: Pick<SearchStore, 'scan' | 'summaries'>,
  parts: Omit<TextIndexParts<ExecutionId, WorkflowStatus>, 'statuses' | 'scan' | 'read'>,
): ExecutionTexts {
  return new TextIndex({
    ...parts,
    statuses: workflowStatuses,
    scan: () => store.scan(),
    read: async (ids) => (await store.summaries(ids)).map((summary) => summary && toItem(summary)),
  });
}

function toItem(summary: ExecutionSummary): IndexedItem<ExecutionId, WorkflowStatus> {
  const { state, id } = summary;
  const facts = { ...ownedOf(summary), status: state.status };
  return { id, facts, text: textOf(summary) };
}

/** undefined when it is too long. */
function textOf(summary: ExecutionSummary): string | undefined {
  if (summary.input.size + summary.output.size > charsMax) return undefined;
  const [, ...texts] = searchedWorkflows.texts(summary);
  const all = texts.filter((text) => typeof text === 'string').join(sectionEnd);
  return all.length > charsMax ? undefined : all.toLowerCase();
}
