// One task of a graph: a box with its reference name and its state. Where a graph is edited, the
// box takes the focus and tells what it is.
import type { ReactElement } from 'react';
import { statusKind, statusWord } from '../design/status';
import { nodeHeight, nodeWidth, type GraphNode } from './layout';

export interface NodeState {
  /** Absent: the task was not reached here, but in the execution that this one is compared with. */
  readonly status?: string;
  /** Such as `3 of 5 completed`. */
  readonly note?: string;
  /** Of the execution that this one is compared with; '' where it was not reached there. */
  readonly other?: string;
}

const titleCharsMax = 22;
const noteCharsMax = 26;
const sideWidth = 7;
const notReached = 'not reached';

/** What a box says below its title. */
export function nodeNote(node: GraphNode, state: NodeState | undefined): string {
  if (state?.note !== undefined) return state.note;
  if (state !== undefined) return stateWords(state);
  return node.folded === undefined ? node.type : `${node.folded.branches} branches`;
}

function stateWords({ status = '', other }: NodeState): string {
  const word = (each: string): string => (each === '' ? notReached : statusWord(each));
  if (other === undefined || other === status) return word(status);
  return `${word(status)} | ${word(other)}`;
}

interface NodeProps {
  readonly node: GraphNode;
  readonly state: NodeState | undefined;
  readonly isMarked: boolean;
  readonly open: ((ref: string) => void) | undefined;
  /** Of a graph that is edited: whether it is the chosen one, and whether Tab leads to it. */
  readonly edited?: { readonly isChosen: boolean; readonly isTabStop: boolean } | undefined;
}

export function Node({ node, state, isMarked, open, edited }: NodeProps): ReactElement {
  const isParted = state?.other !== undefined && state.other !== (state.status ?? '');
  const marks = ['graph-node', isMarked && 'broken', edited?.isChosen && 'chosen'];
  const control =
    edited === undefined
      ? {}
      : {
          role: 'button',
          tabIndex: edited.isTabStop ? 0 : -1,
          'aria-pressed': edited.isChosen,
          'data-ref': node.ref,
        };
  return (
    <g
      className={marks.filter(Boolean).join(' ')}
      data-kind={state?.status === undefined || isParted ? 'none' : statusKind(state.status)}
      transform={`translate(${node.x} ${node.y})`}
      onClick={() => open?.(node.ref)}
      {...control}
    >
      <title>{`${node.ref} (${node.type})`}</title>
      <rect width={nodeWidth} height={nodeHeight} rx={6} className="graph-box" />
      {isParted && <Side status={state.status ?? ''} x={1} />}
      {isParted && <Side status={state.other ?? ''} x={nodeWidth - sideWidth - 1} />}
      <text x={12} y={18} className="graph-title">
        {shortened(node.ref, titleCharsMax)}
      </text>
      <text x={12} y={35} className="graph-note">
        {shortened(nodeNote(node, state), noteCharsMax)}
      </text>
    </g>
  );
}

/** The status of one of two compared executions: a strip at its side of the box. */
function Side({ status, x }: { readonly status: string; readonly x: number }): ReactElement | null {
  if (status === '') return null;
  const height = nodeHeight - 2;
  return (
    <rect
      className="graph-side"
      data-kind={statusKind(status)}
      {...{ x, y: 1, width: sideWidth, height, rx: 3 }}
    />
  );
}

export function shortened(text: string, charsMax = titleCharsMax): string {
  return text.length > charsMax ? `${text.slice(0, charsMax - 1)}…` : text;
}
