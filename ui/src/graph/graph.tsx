// Draws a definition as SVG, with the state of each task where there is one. A list of the same
// tasks beside it serves keyboards and screen readers.
import { useMemo, useState, type ReactElement } from 'react';
import type { WorkflowTask } from '../api/types';
import { statusKind, statusWord } from '../design/status';
import { layOut, nodeHeight, nodeWidth, type GraphNode } from './layout';

export interface NodeState {
  readonly status: string;
  /** Such as `3 of 5 completed`. */
  readonly note?: string;
}

interface GraphProps {
  readonly tasks: readonly WorkflowTask[];
  readonly stateOf?: (node: GraphNode) => NodeState | undefined;
  readonly open?: (ref: string) => void;
  readonly marked?: ReadonlySet<string>;
}

const titleCharsMax = 22;
const zooms = [0.5, 0.75, 1, 1.5] as const;
/** Of a graph that is made to fit: smaller, its words could not be read. */
const fitZoomMin = 0.6;

export function Graph({ tasks, stateOf, open, marked }: GraphProps): ReactElement {
  const layout = useMemo(() => layOut(tasks), [tasks]);
  // undefined: as wide as there is room for.
  const [chosen, choose] = useState<number>();
  const zoom = chosen ?? 1;
  return (
    <div className="stack">
      <div className="row">
        <label className="row">
          Size
          <select
            value={chosen ?? ''}
            onChange={(event) => choose(Number(event.target.value) || undefined)}
          >
            <option value="">Fits</option>
            {zooms.map((each) => (
              <option key={each} value={each}>
                {each * 100} %
              </option>
            ))}
          </select>
        </label>
      </div>
      <div className="graph" tabIndex={0} role="region" aria-label="Graph of the tasks">
        <svg
          width={layout.width * zoom}
          height={chosen === undefined ? undefined : layout.height * zoom}
          style={
            chosen === undefined ? { minWidth: layout.width * fitZoomMin } : { maxWidth: 'none' }
          }
          viewBox={`0 0 ${layout.width} ${layout.height}`}
          aria-hidden="true"
        >
          {layout.frames.map((frame) => (
            <g key={`${frame.x} ${frame.y}`}>
              <rect {...boxOf(frame)} rx={6} className="graph-frame" />
              <text x={frame.x + 8} y={frame.y + 14} className="graph-label">
                {frame.title}
              </text>
            </g>
          ))}
          {layout.edges.map(({ path, label }, index) => (
            <g key={index}>
              <path d={path} className="graph-edge" />
              {label !== undefined && (
                <text x={label.x} y={label.y} className="graph-label" textAnchor="middle">
                  {shortened(label.text)}
                </text>
              )}
            </g>
          ))}
          {layout.nodes.map((node) => (
            <Node
              key={node.ref}
              node={node}
              state={stateOf?.(node)}
              isMarked={marked?.has(node.ref) ?? false}
              open={open}
            />
          ))}
        </svg>
      </div>
      <details>
        <summary>Outline of the tasks</summary>
        <ul className="plain">
          {layout.nodes.map((node) => {
            const state = stateOf?.(node);
            const words = `${node.ref} (${node.type})${state === undefined ? '' : `: ${statusWord(state.status)}`}`;
            return (
              <li key={node.ref}>
                {open === undefined ? (
                  words
                ) : (
                  <button type="button" className="link" onClick={() => open(node.ref)}>
                    {words}
                  </button>
                )}
              </li>
            );
          })}
        </ul>
      </details>
    </div>
  );
}

interface NodeProps {
  readonly node: GraphNode;
  readonly state: NodeState | undefined;
  readonly isMarked: boolean;
  readonly open: ((ref: string) => void) | undefined;
}

function Node({ node, state, isMarked, open }: NodeProps): ReactElement {
  const { folded } = node;
  const note =
    state?.note ??
    (folded !== undefined
      ? `${folded.branches} branches`
      : state === undefined
        ? node.type
        : statusWord(state.status));
  return (
    <g
      className={isMarked ? 'graph-node broken' : 'graph-node'}
      data-kind={state === undefined ? 'none' : statusKind(state.status)}
      transform={`translate(${node.x} ${node.y})`}
      onClick={() => open?.(node.ref)}
    >
      <title>{`${node.ref} (${node.type})`}</title>
      <rect width={nodeWidth} height={nodeHeight} rx={6} />
      <text x={12} y={18} className="graph-title">
        {shortened(node.ref)}
      </text>
      <text x={12} y={35} className="graph-note">
        {shortened(note)}
      </text>
    </g>
  );
}

function boxOf({ x, y, width, height }: Record<'x' | 'y' | 'width' | 'height', number>): {
  x: number;
  y: number;
  width: number;
  height: number;
} {
  return { x, y, width, height };
}

function shortened(text: string): string {
  return text.length > titleCharsMax ? `${text.slice(0, titleCharsMax - 1)}…` : text;
}
