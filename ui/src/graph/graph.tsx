// Draws a definition as SVG, with the state of each task where there is one. A tree of the same
// tasks below it serves keyboards and screen readers. Forks with many branches open page by page;
// the page stands in the address. `edit` makes it a graph that one edits: its tasks take the focus,
// and its edges have slots.
import {
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type ReactElement,
  type ReactNode,
  type RefObject,
} from 'react';
import type { WorkflowTask } from '../api/types';
import { Icon } from '../design/icon';
import { statusKind } from '../design/status';
import { percent } from '../state/format';
import { useView } from '../state/view';
import './graph.css';
import { ForkPages } from './fork-pages';
import { Node, shortened, type NodeState } from './graph-node';
import type { GraphEdge, GraphEnds, GraphLayout, GraphNode } from './drawing';
import { layOut } from './layout';
import { OutlineTree } from './outline-tree';
import { usePan } from './pan';
import { isDone, isTaken } from './path-taken';
import { Slots, type GraphEdit } from './slots';

interface GraphProps {
  readonly tasks: readonly WorkflowTask[];
  readonly stateOf?: (node: GraphNode) => NodeState | undefined;
  readonly open?: (ref: string) => void;
  readonly marked?: ReadonlySet<string>;
  /** Reference name of the task that is shown beside it; it is scrolled into sight. */
  readonly shownRef?: string | undefined;
  /** From left to right instead of from top to bottom. */
  readonly runsRight?: boolean;
  /** It opens as small as it must be to be whole. */
  readonly isFitted?: boolean;
  readonly edit?: GraphEdit;
  /** The controls at its upper left beside the choice of pages of forks. */
  readonly tools?: ReactNode;
}

const zooms = [0.75, 1, 1.5] as const;
/** Of a graph that is made to fit. A smaller one is scrolled: its words would not fit any more. */
const fitZoomMin = 0.6;

export function Graph(props: GraphProps): ReactElement {
  const { tasks, stateOf, open, marked, shownRef, runsRight = false, edit, tools } = props;
  const [view] = useView();
  const { fork, branches } = view;
  const isEdited = edit !== undefined;
  const layout = useMemo(() => {
    const page = Math.max(0, Math.floor(Number(branches)) || 0);
    const pages = new Map(fork === undefined ? [] : [[fork, page]]);
    return layOut(tasks, { isEdited, runsRight, pages });
  }, [tasks, isEdited, runsRight, fork, branches]);
  const nodes = useMemo(() => new Map(layout.nodes.map((node) => [node.ref, node])), [layout]);
  // undefined: as wide as there is room for.
  const [zoom, setZoom] = useState<number | undefined>(props.isFitted === true ? undefined : 1);
  const frame = useRef<HTMLDivElement>(null);
  const room = useRoom(frame);
  const scale = zoom ?? Math.min(1, Math.max(fitZoomMin, room / layout.width));
  const step = (by: number): void => setZoom(zoomBeside(scale, by));
  usePan(frame, step);
  useInSight(frame, nodes.get(shownRef ?? ''), { fork, branches, runsRight, isEdited });
  const tabStop = nodes.get(edit?.chosen ?? '') ?? layout.nodes[0];
  const states = new Map(layout.nodes.map((node) => [node.ref, stateOf?.(node)]));
  const hasStates = stateOf !== undefined && !isEdited;
  return (
    <div className="graph-whole">
      <div className="graph-canvas">
        <div
          className="graph"
          ref={frame}
          tabIndex={0}
          role="region"
          aria-label="Graph of the tasks"
          onKeyDown={edit?.onKeyDown}
        >
          <svg
            width={layout.width * scale}
            height={layout.height * scale}
            className={scale < 1 ? 'small' : undefined}
            style={{ '--scale': Math.min(1, scale) } as CSSProperties}
            viewBox={`0 0 ${layout.width} ${layout.height}`}
            aria-hidden={isEdited ? undefined : true}
          >
            {layout.frames.map((frame) => (
              <rect key={`${frame.x} ${frame.y}`} className="graph-frame" {...frame} rx={8} />
            ))}
            {layout.edges.map((edge, index) => (
              <Edge
                key={index}
                edge={edge}
                isTaken={!hasStates || isTaken(edge, states)}
                kind={statusKind(states.get(edge.to ?? '')?.status ?? '')}
              />
            ))}
            {layout.ends !== undefined && (
              <Ends
                ends={layout.ends}
                isOver={!hasStates || isDone(states.get(layout.ends.last)?.status)}
              />
            )}
            {layout.nodes.map((node) => (
              <Node
                key={node.ref}
                node={node}
                state={states.get(node.ref)}
                isMarked={marked?.has(node.ref) ?? false}
                isShown={shownRef === node.ref}
                isPlain={!hasStates}
                runsRight={runsRight}
                scale={scale}
                open={open}
                edited={edit && { isChosen: node.ref === edit.chosen, isTabStop: node === tabStop }}
              />
            ))}
            {edit !== undefined && <Slots slots={layout.slots} edit={edit} />}
          </svg>
        </div>
        <div className="float-bar upper">
          {tools}
          <ForkPages nodes={layout.nodes} />
        </div>
        <ZoomChoice
          {...{ scale, step }}
          fit={() => setZoom(undefined)}
          isFit={zoom === undefined}
        />
        <MiniMap {...{ layout, frame, states, marked, scale }} />
      </div>
      <details className="graph-outline">
        <summary>Outline of the tasks</summary>
        <OutlineTree label="Tasks" {...{ tasks, nodes, stateOf, open }} />
      </details>
    </div>
  );
}

/** The task that is shown, or the first one, is in sight when the graph opens. */
function useInSight(
  frame: RefObject<HTMLDivElement | null>,
  node: GraphNode | undefined,
  opened: {
    readonly fork: string | undefined;
    readonly branches: string | undefined;
    readonly runsRight: boolean;
    /** One that is in sight already stays where it is. */
    readonly isEdited: boolean;
  },
): void {
  const { fork, branches, runsRight, isEdited } = opened;
  const ref = node?.ref;
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = current;
    const svg = current.querySelector('svg');
    const scale = svg === null ? 1 : svg.clientWidth / svg.viewBox.baseVal.width;
    if (node !== undefined && isEdited && isSeen(current, node, scale)) return;
    if (node !== undefined) {
      current.scrollLeft = (node.x + node.width / 2) * scale - clientWidth / 2;
      current.scrollTop = (node.y + node.height / 2) * scale - clientHeight / 2;
    } else if (runsRight) current.scrollTop = (scrollHeight - clientHeight) / 2;
    else current.scrollLeft = (scrollWidth - clientWidth) / 2;
    // Not again with each change of its state: who has scrolled away wants to stay there.
  }, [fork, branches, runsRight, ref]);
}

interface Scrolled {
  readonly scrollLeft: number;
  readonly scrollTop: number;
  readonly clientWidth: number;
  readonly clientHeight: number;
}

function isSeen(frame: Scrolled, node: GraphNode, scale: number): boolean {
  const [left, top] = [node.x * scale - frame.scrollLeft, node.y * scale - frame.scrollTop];
  const [width, height] = [node.width * scale, node.height * scale];
  return (
    left >= 0 && top >= 0 && left + width <= frame.clientWidth && top + height <= frame.clientHeight
  );
}

type States = ReadonlyMap<string, NodeState | undefined>;

/** Where the graph starts and ends. */
function Ends({
  ends: { start, end },
  isOver,
}: {
  readonly ends: GraphEnds;
  readonly isOver: boolean;
}): ReactElement {
  return (
    <>
      <circle className="graph-end" cx={start.x} cy={start.y} r={6} />
      <circle className="graph-end" data-taken={isOver} cx={end.x} cy={end.y} r={7} />
    </>
  );
}

interface EdgeProps {
  readonly edge: GraphEdge;
  readonly isTaken: boolean;
  /** Of the task that it leads to. */
  readonly kind: string;
}

function Edge({ edge, isTaken, kind }: EdgeProps): ReactElement {
  const { path, label } = edge;
  return (
    <g>
      <path d={path} className="graph-edge" data-taken={isTaken} data-kind={kind} />
      {label !== undefined && (
        <text x={label.x} y={label.y} className="graph-label" textAnchor="middle">
          {shortened(label.text)}
        </text>
      )}
    </g>
  );
}

/** The width that a graph has here, in pixels. */
function useRoom(frame: RefObject<HTMLDivElement | null>): number {
  const [room, setRoom] = useState(0);
  useLayoutEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const observer = new ResizeObserver(() => setRoom(current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, [frame]);
  return room;
}

/** The next size that is larger or smaller. */
function zoomBeside(scale: number, by: number): number {
  const next = by > 0 ? zooms.find((each) => each > scale) : zooms.findLast((each) => each < scale);
  return next ?? (by > 0 ? zooms[zooms.length - 1] : zooms[0]) ?? 1;
}

interface ZoomChoiceProps {
  readonly scale: number;
  readonly step: (by: number) => void;
  readonly fit: () => void;
  readonly isFit: boolean;
}

function ZoomChoice({ scale, step, fit, isFit }: ZoomChoiceProps): ReactElement {
  return (
    <div className="float-bar lower" role="group" aria-label="Size of the graph">
      <button
        type="button"
        className="button bare small"
        aria-label="Smaller"
        onClick={() => step(-1)}
      >
        <Icon name="minus" className="s" />
      </button>
      <span className="quiet">{percent(scale)}</span>
      <button
        type="button"
        className="button bare small"
        aria-label="Larger"
        onClick={() => step(1)}
      >
        <Icon name="plus" className="s" />
      </button>
      <button
        type="button"
        className="button bare small"
        aria-label="Fit"
        aria-pressed={isFit}
        onClick={fit}
      >
        <Icon name="fit" className="s" />
      </button>
    </div>
  );
}

const mapWidth = 160;
const mapHeightMax = 90;

interface MiniMapProps {
  readonly layout: GraphLayout;
  readonly frame: RefObject<HTMLDivElement | null>;
  readonly states: States;
  /** Those with a mistake. */
  readonly marked: ReadonlySet<string> | undefined;
  readonly scale: number;
}

/** The whole graph in small, with the part that is in sight; only where a part is not. */
function MiniMap(props: MiniMapProps): ReactElement | null {
  const { layout, frame, states, marked, scale: shown } = props;
  const [seen, see] = useState<{ x: number; y: number; width: number; height: number }>();
  useEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const look = (): void => {
      const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } =
        current;
      const isWhole = scrollWidth <= clientWidth + 1 && scrollHeight <= clientHeight + 1;
      if (isWhole) return see(undefined);
      const [x, y] = [scrollLeft / scrollWidth, scrollTop / scrollHeight];
      see({ x, y, width: clientWidth / scrollWidth, height: clientHeight / scrollHeight });
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(current);
    current.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      current.removeEventListener('scroll', look);
    };
  }, [frame, layout, shown]);
  if (seen === undefined) return null;
  const { width, height } = layout;
  const scale = Math.min(mapWidth / width, mapHeightMax / height);
  return (
    <div className="float-bar map" aria-hidden="true">
      <svg
        width={width * scale}
        height={height * scale}
        viewBox={`0 0 ${width} ${height}`}
        onClick={({ nativeEvent }) => {
          const { current } = frame;
          if (current === null) return;
          const { scrollWidth, scrollHeight, clientWidth, clientHeight } = current;
          const { offsetX, offsetY } = nativeEvent;
          current.scrollLeft = (offsetX / (width * scale)) * scrollWidth - clientWidth / 2;
          current.scrollTop = (offsetY / (height * scale)) * scrollHeight - clientHeight / 2;
        }}
      >
        {layout.nodes.map(({ ref, type, x, y, width, height }) => (
          <rect
            key={ref}
            {...{ x, y, width, height, rx: 8 }}
            data-loop={type === 'DO_WHILE' ? true : undefined}
            data-kind={marked?.has(ref) ? 'failed' : statusKind(states.get(ref)?.status ?? '')}
          />
        ))}
        <rect
          className="seen"
          {...{ x: seen.x * width, y: seen.y * height }}
          {...{ width: seen.width * width, height: seen.height * height }}
        />
      </svg>
    </div>
  );
}
