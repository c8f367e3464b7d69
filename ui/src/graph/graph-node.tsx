// One task of a graph. Its outline and icon tell its kind, its colour its status, so that it can be
// read without colour. Where a graph is edited, the node takes the focus and tells what it is.
import type { ReactElement } from 'react';
import { DrawnIcon, type IconName } from '../design/icon';
import { statusIcons, statusKind, statusWord } from '../design/status';
import { count } from '../state/format';
import type { Folded, GraphNode } from './drawing';
import { isDone } from './path-taken';
import { bar, diamond } from './plan';

export interface NodeState {
  /** Absent: the task was not reached here, but in the execution that this one is compared with. */
  readonly status?: string;
  /** Such as `3 of 5 completed`. */
  readonly note?: string;
  /** How much of it is done, 0 to 1: of a fork with many branches. */
  readonly share?: number;
  /** When it came in a simulated run, such as `3`. */
  readonly step?: string;
  /** Of the execution that this one is compared with; '' where it was not reached there. */
  readonly other?: string;
}

type Shape = 'box' | 'cut' | 'diamond' | 'bar' | 'cards' | 'double' | 'pill' | 'hexagon' | 'frame';

interface Kind {
  readonly shape: Shape;
  readonly icon: IconName;
  readonly word: string;
}

const worker: Kind = { shape: 'box', icon: 'worker', word: 'Worker' };
const kinds: Readonly<Record<string, Kind>> = {
  HTTP: { shape: 'cut', icon: 'http', word: 'HTTP' },
  HTTP_POLL: { shape: 'cut', icon: 'http', word: 'HTTP poll' },
  GRPC: { shape: 'cut', icon: 'http', word: 'gRPC' },
  SWITCH: { shape: 'diamond', icon: 'branch', word: 'Switch' },
  DECISION: { shape: 'diamond', icon: 'branch', word: 'Decision' },
  FORK_JOIN: { shape: 'bar', icon: 'fork', word: 'Fork' },
  /** As both are called in an execution. */
  FORK: { shape: 'bar', icon: 'fork', word: 'Fork' },
  FORK_JOIN_DYNAMIC: { shape: 'cards', icon: 'fan', word: 'Fork per item' },
  JOIN: { shape: 'bar', icon: 'join', word: 'Join' },
  EXCLUSIVE_JOIN: { shape: 'bar', icon: 'join', word: 'Exclusive join' },
  DO_WHILE: { shape: 'frame', icon: 'loop', word: 'Loop' },
  SUB_WORKFLOW: { shape: 'double', icon: 'sub', word: 'Sub-workflow' },
  START_WORKFLOW: { shape: 'double', icon: 'play', word: 'Start workflow' },
  WAIT: { shape: 'pill', icon: 'wait', word: 'Wait' },
  WAIT_FOR_WEBHOOK: { shape: 'pill', icon: 'link', word: 'Webhook' },
  YIELD: { shape: 'pill', icon: 'wait', word: 'Yield' },
  HUMAN: { shape: 'hexagon', icon: 'human', word: 'Human' },
  EVENT: { shape: 'cut', icon: 'event', word: 'Event' },
  INLINE: { shape: 'box', icon: 'script', word: 'Inline' },
  LAMBDA: { shape: 'box', icon: 'script', word: 'Lambda' },
  JSON_JQ_TRANSFORM: { shape: 'box', icon: 'script', word: 'jq' },
  SET_VARIABLE: { shape: 'box', icon: 'edit', word: 'Set variable' },
  TERMINATE: { shape: 'box', icon: 'stop', word: 'Terminate' },
  SIMPLE: worker,
  DYNAMIC: { shape: 'box', icon: 'worker', word: 'Dynamic' },
};

/** Icon and word of a type of tasks. */
export function taskKind(type: string): Pick<Kind, 'icon' | 'word'> {
  const isOfServer = type !== '' && type === type.toUpperCase();
  const word = isOfServer ? type.toLowerCase().replaceAll('_', ' ') : worker.word;
  return kinds[type] ?? { ...worker, word };
}

const titleCharsMax = 22;
const noteCharsMax = 25;
const sideWidth = 7;
const notReached = 'not reached';

/** The words of a node beside its name. */
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
  /** Its task is shown beside the graph. */
  readonly isShown?: boolean;
  /** Of a definition: nothing is reached or not. */
  readonly isPlain?: boolean;
  /** From left to right. */
  readonly runsRight?: boolean;
  /** Its size: in a small graph names are cut sooner, as letters keep their size. */
  readonly scale?: number;
  readonly open: ((ref: string) => void) | undefined;
  /** Of a graph that is edited: whether it is the chosen one, and whether Tab leads to it. */
  readonly edited?: { readonly isChosen: boolean; readonly isTabStop: boolean } | undefined;
}

export function Node(props: NodeProps): ReactElement {
  const { node, state, isMarked, isShown = false, runsRight = false, open, edited } = props;
  const isPlain = edited !== undefined || props.isPlain === true;
  const charsMax = Math.floor(titleCharsMax * Math.min(1, props.scale ?? 1));
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
  const { shape } = kinds[node.type] ?? worker;
  const drawn = node.folded === undefined ? shape : 'cards';
  // Of two executions there is a status at each side: only a box has room for what they say.
  const isSlim = drawn === 'diamond' || drawn === 'bar';
  const { width, height } = node;
  return (
    <g
      className={marks.filter(Boolean).join(' ')}
      data-kind={state?.status === undefined || isParted ? 'none' : statusKind(state.status)}
      data-reached={state !== undefined || isPlain}
      transform={`translate(${node.x} ${node.y})`}
      onClick={() => open?.(node.ref)}
      {...control}
    >
      <title>{`${node.ref} (${node.type})`}</title>
      {isShown && (
        <rect
          className="graph-ring"
          {...{ x: -5, y: -5, width: width + 10, height: height + 10, rx: 11 }}
        />
      )}
      {isSlim ? (
        <Slim
          {...{ node, state, runsRight, charsMax }}
          shape={drawn}
          isTaken={isPlain || isDone(state?.status)}
        />
      ) : (
        <Card {...{ node, state, charsMax }} shape={drawn} />
      )}
      {state?.step !== undefined && <StepMark step={state.step} at={width} />}
      {isParted && <Side status={state.status ?? ''} x={1} height={height} />}
      {isParted && <Side status={state.other ?? ''} x={width - sideWidth - 1} height={height} />}
    </g>
  );
}

interface DrawnProps {
  readonly node: GraphNode;
  readonly shape: Shape;
  readonly state: NodeState | undefined;
  /** Of its name. */
  readonly charsMax: number;
}

/** A task that does something: kind and status above, its name below. */
function Card({ node, shape, state, charsMax }: DrawnProps): ReactElement {
  if (shape === 'frame') return <Head {...{ node, state }} />;
  const { icon, word } = taskKind(node.type);
  const { width, height, folded } = node;
  const inset = shape === 'hexagon' || shape === 'pill' ? 18 : 10;
  const status = state?.status;
  const said = state?.note ?? (state?.other === undefined ? '' : stateWords(state));
  const line = said === '' || folded !== undefined ? word : said;
  const room = noteCharsMax - (inset > 10 ? 8 : 2) - (status === undefined ? 0 : 4);
  return (
    <>
      <Edge {...{ shape, width, height }} />
      <DrawnIcon name={icon} x={inset} y={8} size={14} />
      <text x={inset + 20} y={19} className="graph-note">
        {shortened(line, room)}
      </text>
      {status !== undefined && state?.other === undefined && (
        <StatusMark status={status} x={width - inset - 14} />
      )}
      <text x={inset} y={38} className="graph-title">
        {shortened(node.ref, charsMax - (inset > 10 ? 3 : 0) - (folded === undefined ? 0 : 7))}
      </text>
      {folded !== undefined && <Progress {...{ node, state, folded }} />}
    </>
  );
}

/** How far the branches of a fork are: how many there are, a bar, counts by status. */
function Progress({
  node: { width },
  state,
  folded: { branches },
}: Pick<DrawnProps, 'node' | 'state'> & { readonly folded: Folded }): ReactElement {
  const room = width - 20;
  return (
    <>
      <text x={width - 10} y={38} className="graph-title behind">{`× ${count(branches)}`}</text>
      <rect className="graph-track" x={10} y={47} width={room} height={5} rx={2.5} />
      <rect
        className="graph-done"
        {...{ x: 10, y: 47, height: 5, rx: 2.5, width: room * (state?.share ?? 0) }}
      />
      <text x={10} y={67} className="graph-note">
        {shortened(state?.note ?? `${count(branches)} branches`, noteCharsMax + 2)}
      </text>
    </>
  );
}

/** The line above the body of a loop: its name, and which round is shown. */
function Head({ node, state }: Pick<DrawnProps, 'node' | 'state'>): ReactElement {
  const { icon, word } = taskKind(node.type);
  const { width, height } = node;
  const status = state?.other === undefined ? state?.status : undefined;
  const note = state?.other === undefined ? (state?.note ?? '') : stateWords(state);
  const behind = status === undefined ? 10 : 30;
  const room = width - 36 - behind - 5.5 * (note.length + word.length);
  return (
    <>
      <rect className="graph-loop" {...{ width, height }} rx={8} />
      <DrawnIcon name={icon} x={10} y={8} size={14} />
      <text x={30} y={19} className="graph-title">
        <tspan className="graph-note">{word} </tspan>
        {shortened(node.ref, Math.max(4, Math.floor(room / 6.4)))}
      </text>
      <text x={width - behind} y={19} className="graph-note behind">
        {note}
      </text>
      {status !== undefined && <StatusMark status={status} x={width - 24} />}
    </>
  );
}

function StatusMark({ status, x }: { readonly status: string; readonly x: number }): ReactElement {
  const name = statusIcons[statusKind(status)];
  return <DrawnIcon {...{ name, x }} y={8} size={14} className="graph-status" />;
}

interface EdgeProps {
  readonly shape: Shape;
  readonly width: number;
  readonly height: number;
}

function Edge({ shape, width: w, height: h }: EdgeProps): ReactElement {
  const size = { width: w, height: h };
  switch (shape) {
    case 'cut':
      return (
        <path
          className="graph-box"
          d={`M6 0H${w - 12}L${w} 12V${h - 6}Q${w} ${h} ${w - 6} ${h}H6Q0 ${h} 0 ${h - 6}V6Q0 0 6 0Z`}
        />
      );
    case 'hexagon':
      return (
        <path
          className="graph-box"
          d={`M14 0H${w - 14}L${w} ${h / 2}L${w - 14} ${h}H14L0 ${h / 2}Z`}
        />
      );
    case 'pill':
      return <rect {...size} rx={h / 2} className="graph-box" />;
    case 'double':
      return (
        <>
          <rect x={4} y={4} {...size} rx={6} className="graph-box back" />
          <rect {...size} rx={6} className="graph-box" />
        </>
      );
    case 'cards':
      return (
        <>
          <rect x={7} y={7} {...size} rx={6} className="graph-box back" />
          <rect x={3.5} y={3.5} {...size} rx={6} className="graph-box back" />
          <rect {...size} rx={6} className="graph-box" />
        </>
      );
    default:
      return <rect {...size} rx={6} className="graph-box" />;
  }
}

interface SlimProps extends DrawnProps {
  readonly runsRight: boolean;
  /** The way through it is drawn as one that is gone. */
  readonly isTaken: boolean;
}

/** A task that only steers: a diamond or a bar, its name beside it. */
function Slim(props: SlimProps): ReactElement {
  const { node, shape, state, runsRight, isTaken, charsMax } = props;
  const said = state?.other === undefined ? '' : ` ${stateWords(state)}`;
  const name = shortened(node.ref + said, charsMax);
  return shape === 'diamond' ? (
    <Diamond {...{ node, name, runsRight, isTaken }} />
  ) : (
    <Bar {...{ node, name, runsRight, isTaken }} />
  );
}

interface SlimNameProps {
  readonly node: GraphNode;
  readonly name: string;
  readonly runsRight: boolean;
  readonly isTaken: boolean;
}

function Diamond(props: SlimNameProps): ReactElement {
  const { node, name, runsRight, isTaken } = props;
  const { width, height, type } = node;
  const [x, y] = [width / 2, height / 2];
  const half = diamond / 2;
  return (
    <>
      {width > diamond && (
        <path className="graph-edge" data-taken={isTaken} d={`M0 ${y}H${width}`} />
      )}
      <rect className="graph-reach" {...{ width, height }} />
      <path
        className="graph-box"
        d={`M${x} ${y - half}L${x + half} ${y}L${x} ${y + half}L${x - half} ${y}Z`}
      />
      <DrawnIcon name={taskKind(type).icon} x={x - 8} y={y - 8} />
      {runsRight ? (
        <text x={x} y={y + half + 15} className="graph-title middle">
          {name}
        </text>
      ) : (
        <text x={x + 18} y={y - 11} className="graph-title halo">
          {name}
        </text>
      )}
    </>
  );
}

/** The part beside a bar that takes clicks, on both sides. */
const barReach = 8;

function Bar({ node, name, runsRight, isTaken }: SlimNameProps): ReactElement {
  const { width, height, axis, type } = node;
  const isJoin = type.endsWith('JOIN') && !type.startsWith('FORK');
  const reach = runsRight
    ? { x: -barReach, y: 0, width: width + 2 * barReach, height }
    : { x: 0, y: -barReach, width, height: height + 2 * barReach };
  const drawn = runsRight ? { x: (width - bar) / 2, width: bar, height } : { width, height };
  return (
    <>
      <rect className="graph-reach" {...reach} />
      {runsRight && width > bar && (
        <path className="graph-edge" data-taken={isTaken} d={`M0 ${height / 2}H${width}`} />
      )}
      <rect className="graph-bar" {...drawn} rx={3} />
      {runsRight ? (
        <text x={width / 2} y={height + 15} className="graph-title middle">
          {name}
        </text>
      ) : (
        <text x={axis + 12} y={isJoin ? height + 16 : -9} className="graph-title halo">
          {name}
        </text>
      )}
    </>
  );
}

function StepMark({ step, at }: { readonly step: string; readonly at: number }): ReactElement {
  const width = 8 + 7 * step.length;
  return (
    <g className="graph-step" transform={`translate(${at - width / 2} 0)`}>
      <rect x={-width / 2} y={-9} width={width} height={18} rx={9} />
      <text y={4} textAnchor="middle">
        {step}
      </text>
    </g>
  );
}

interface SideProps {
  readonly status: string;
  readonly x: number;
  readonly height: number;
}

/** The status of one of two compared executions: a strip at its side of the box. */
function Side({ status, x, height }: SideProps): ReactElement | null {
  if (status === '') return null;
  return (
    <rect
      className="graph-side"
      data-kind={statusKind(status)}
      {...{ x, y: 1, width: sideWidth, height: height - 2, rx: 3 }}
    />
  );
}

export function shortened(text: string, charsMax = titleCharsMax): string {
  return text.length > charsMax ? `${text.slice(0, charsMax - 1)}…` : text;
}
