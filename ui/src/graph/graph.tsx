// Draws a definition as SVG, with the state of each task where there is one. A tree of the same
// tasks below it serves keyboards and screen readers. Forks with many branches open page by page;
// the page stands in the address. `edit` makes it a graph that one edits: its tasks take the focus,
// and its edges have slots.
import { useEffect, useMemo, useRef, useState, type ReactElement } from 'react';
import type { WorkflowTask } from '../api/types';
import { useView } from '../state/view';
import { ForkPages } from './fork-pages';
import { Node, shortened, type NodeState } from './graph-node';
import { layOut, type GraphFrame, type GraphLayout, type GraphNode } from './layout';
import { OutlineTree } from './outline-tree';
import { Slots, type GraphEdit } from './slots';

interface GraphProps {
  readonly tasks: readonly WorkflowTask[];
  readonly stateOf?: (node: GraphNode) => NodeState | undefined;
  readonly open?: (ref: string) => void;
  readonly marked?: ReadonlySet<string>;
  readonly edit?: GraphEdit;
}

const zooms = [0.5, 0.75, 1, 1.5] as const;
/** Of a graph that is made to fit: smaller, its words could not be read. */
const fitZoomMin = 0.6;

export function Graph({ tasks, stateOf, open, marked, edit }: GraphProps): ReactElement {
  const [view] = useView();
  const { fork, branches } = view;
  const isEdited = edit !== undefined;
  const layout = useMemo(() => {
    const page = Math.max(0, Math.floor(Number(branches)) || 0);
    return layOut(tasks, { isEdited, pages: new Map(fork === undefined ? [] : [[fork, page]]) });
  }, [tasks, isEdited, fork, branches]);
  const nodes = useMemo(() => new Map(layout.nodes.map((node) => [node.ref, node])), [layout]);
  // undefined: as wide as there is room for.
  const [zoom, setZoom] = useState<number>();
  const frame = useRef<HTMLDivElement>(null);
  // A graph that is wider than its frame begins in its middle, where its first task is.
  useEffect(() => {
    const { current } = frame;
    if (current !== null) current.scrollLeft = (current.scrollWidth - current.clientWidth) / 2;
  }, [fork, branches]);
  const tabStop = nodes.get(edit?.chosen ?? '') ?? layout.nodes[0];
  return (
    <div className="stack">
      <div className="row">
        <ZoomChoice zoom={zoom} choose={setZoom} />
        <ForkPages nodes={layout.nodes} />
      </div>
      <div
        className="graph"
        ref={frame}
        tabIndex={0}
        role="region"
        aria-label="Graph of the tasks"
        onKeyDown={edit?.onKeyDown}
      >
        <svg
          {...sizeOf(layout, zoom)}
          viewBox={`0 0 ${layout.width} ${layout.height}`}
          aria-hidden={isEdited ? undefined : true}
        >
          {layout.frames.map((frame) => (
            <Frame key={`${frame.x} ${frame.y}`} frame={frame} />
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
              edited={edit && { isChosen: node.ref === edit.chosen, isTabStop: node === tabStop }}
            />
          ))}
          {edit !== undefined && <Slots slots={layout.slots} edit={edit} />}
        </svg>
      </div>
      <details>
        <summary>Outline of the tasks</summary>
        <OutlineTree label="Tasks" {...{ tasks, nodes, stateOf, open }} />
      </details>
    </div>
  );
}

interface ZoomChoiceProps {
  readonly zoom: number | undefined;
  readonly choose: (zoom: number | undefined) => void;
}

function ZoomChoice({ zoom, choose }: ZoomChoiceProps): ReactElement {
  return (
    <label className="row">
      Size
      <select
        value={zoom ?? ''}
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
  );
}

function Frame({ frame: { title, ...box } }: { readonly frame: GraphFrame }): ReactElement {
  return (
    <g>
      <rect {...box} rx={6} className="graph-frame" />
      <text x={box.x + 8} y={box.y + 14} className="graph-label">
        {title}
      </text>
    </g>
  );
}

function sizeOf(
  { width, height }: GraphLayout,
  zoom: number | undefined,
): { readonly width: number; readonly height?: number; readonly style: object } {
  if (zoom === undefined) return { width, style: { minWidth: width * fitZoomMin } };
  return { width: width * zoom, height: height * zoom, style: { maxWidth: 'none' } };
}
