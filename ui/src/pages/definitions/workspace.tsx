// Where one writes a definition: palette, canvas, text and the form of what is chosen side by side,
// and a dock below. All edit one text, and what is chosen in one is chosen in all.
import { lazy, Suspense, useMemo, useState, type ReactElement } from 'react';
import type { Workflow } from '../../api/types';
import { Icon } from '../../design/icon';
import { Skeleton } from '../../design/notes';
import { repaired } from '../../editor/broken-references';
import { offersOf, type ReadText } from '../../editor/definition-text';
import { JsonEditor, type EditorHandle } from '../../editor/json-editor';
import { ProblemList } from '../../editor/problem-list';
import type { Problem } from '../../editor/problems';
import { DefinitionPanel } from '../../graph/definition-panel';
import { GraphEditor } from '../../graph/graph-editor';
import { useGraphEditing } from '../../graph/graph-editing';
import type { NodeState } from '../../graph/graph-node';
import { Palette } from '../../graph/palette';
import { refsIn } from '../../graph/task-edits';
import type { RawDefinition } from '../../graph/task-lists';
import { TaskPanel } from '../../graph/task-panel';
import { count } from '../../state/format';
import { templateTasks, withParameters } from '../../templates/template-tasks';
import { tasksIn, templateOf, templates, type Template } from '../../templates/templates';
import { TryPanel } from './try-panel';

const DiffView = lazy(() =>
  import('../../editor/diff-view').then(({ DiffView: component }) => ({ default: component })),
);

/** Before the text editor is there. */
const noHandle: EditorHandle = {
  undo: () => undefined,
  redo: () => undefined,
  show: () => undefined,
  lineOf: () => 1,
};

interface WorkspaceProps {
  readonly draftKey: string;
  readonly text: string;
  readonly setText: (text: string) => void;
  /** The text that the server has; '' where it has none. */
  readonly saved: string;
  readonly read: ReadText;
  /** The last text that made a definition. */
  readonly drawn: ReadText;
  readonly problems: readonly Problem[];
  readonly offers: readonly string[];
  /** The template that the definition was begun from. */
  readonly template: Template | undefined;
  /** The tasks of a template were put in. */
  readonly onTemplate: (template: Template) => void;
}

export function Workspace(props: WorkspaceProps): ReactElement {
  const { draftKey, text, setText, saved, read, drawn, problems, offers, template } = props;
  const [result, setResult] = useState<Workflow>();
  const [handle, setHandle] = useState(noHandle);
  const definition: RawDefinition = drawn.definition ?? { tasks: [] };
  const isOld = read.definition === undefined;
  const write = (next: unknown): void => setText(JSON.stringify(next, undefined, 2));
  const editing = useGraphEditing({ definition, tasks: drawn.tasks, onEdit: write });
  const { task, choose } = editing;
  const chosen = task?.taskReferenceName ?? '';
  const marked = useMemo(() => new Set(problems.flatMap(({ ref = [] }) => ref)), [problems]);
  const steps = useMemo(() => stepsOf(result), [result]);
  const insertTemplate = (id: string): void => {
    const wanted = templateOf(id);
    if (wanted === undefined) return;
    props.onTemplate(wanted);
    editing.insert(templateTasks(wanted, refsIn(definition.tasks)), undefined, (next) =>
      withParameters(next, wanted),
    );
  };
  return (
    <div className="workspace">
      <Palette
        editing={editing}
        refused={isOld ? 'Mend the text first' : undefined}
        templates={offeredTemplates}
        insertTemplate={insertTemplate}
      />
      <div className="canvas-pane">
        <GraphEditor
          {...{ editing, marked, isOld }}
          tasks={drawn.tasks}
          stateOf={({ ref }) => steps.get(ref)}
          history={handle}
        />
      </div>
      <TextPane
        {...{ text, setText, problems, chosen, setHandle }}
        offers={[...offersOf(drawn), ...offers]}
        problem={read.problem}
        onCursor={(ref) => {
          if (ref !== chosen && !isOld) choose(ref);
        }}
      >
        <ProblemList
          problems={problems}
          lineOf={handle.lineOf}
          choose={({ path, ref = '' }) => {
            choose(ref);
            handle.show(path);
          }}
          repair={(repair) => setText(repaired(text, repair))}
        />
      </TextPane>
      <aside className="inspector-pane" aria-label="Inspector">
        {task === undefined || isOld ? (
          <DefinitionPanel definition={definition} replace={write} isOld={isOld} />
        ) : (
          <TaskPanel key={chosen} task={task} editing={editing} />
        )}
      </aside>
      <Dock saved={saved} text={text}>
        <TryPanel
          {...{ draftKey, read, result }}
          onResult={setResult}
          {...(template === undefined ? {} : { template })}
        />
      </Dock>
    </div>
  );
}

const offeredTemplates = templates.map(({ id, title, about, workflows }) => ({
  ...{ id, title, about },
  tasks: tasksIn(workflows[0].tasks).length,
}));

/** The steps of the simulated run by task: its last status, and when it came. */
function stepsOf(result: Workflow | undefined): ReadonlyMap<string, NodeState> {
  const states = new Map<string, NodeState>();
  for (const [at, { referenceTaskName, status }] of (result?.tasks ?? []).entries()) {
    const ref = referenceTaskName.replace(/__\d+$/, '');
    const before = states.get(ref)?.step;
    const step = before === undefined ? String(at + 1) : `${before.split(',')[0] ?? ''},…`;
    states.set(ref, { status, step });
  }
  return states;
}

interface TextPaneProps {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly offers: readonly string[];
  readonly problems: readonly Problem[];
  /** Why the text is no definition. */
  readonly problem: string | undefined;
  readonly chosen: string;
  readonly setHandle: (handle: EditorHandle) => void;
  readonly onCursor: (ref: string) => void;
  readonly children: ReactElement;
}

function TextPane(props: TextPaneProps): ReactElement {
  const { text, setText, offers, problems, problem, chosen, setHandle, onCursor } = props;
  const [line, setLine] = useState(1);
  const lines = text.split('\n').length;
  return (
    <section className="text-pane" aria-label="Text">
      <header className="pane-bar">
        <h2>JSON</h2>
        <span className="quiet">
          line {count(line)} of {count(lines)}
        </span>
        <span className="grow" />
        <button
          type="button"
          className="button bare small"
          aria-disabled={problem !== undefined}
          title={problem}
          onClick={() => {
            if (problem === undefined) setText(JSON.stringify(JSON.parse(text), undefined, 2));
          }}
        >
          Format
        </button>
      </header>
      <JsonEditor
        label="Definition as JSON"
        value={text}
        onChange={setText}
        {...{ offers, problems, chosen }}
        onReady={setHandle}
        onCursor={(ref, at) => {
          setLine(at);
          onCursor(ref);
        }}
      />
      {problem !== undefined && <p className="error-text reason pane-note">{problem}</p>}
      {props.children}
    </section>
  );
}

interface DockProps {
  readonly saved: string;
  readonly text: string;
  readonly children: ReactElement;
}

/** Below the rest: the simulated run, and what differs from what the server has. */
function Dock({ saved, text, children }: DockProps): ReactElement {
  const [tab, choose] = useState<'try' | 'diff'>('try');
  const [isOpen, open] = useState(true);
  const tabs = [
    ['try', 'Trial'],
    ['diff', 'Difference'],
  ] as const;
  return (
    <section className="dock" aria-label="Dock" data-open={isOpen}>
      <div className="pane-bar">
        <div className="dock-tabs" role="group" aria-label="Shown below">
          {tabs.map(([id, title]) => (
            <button
              key={id}
              type="button"
              aria-pressed={isOpen && tab === id}
              onClick={() => {
                choose(id);
                open(true);
              }}
            >
              {title}
            </button>
          ))}
        </div>
        <span className="grow" />
        <button
          type="button"
          className="button bare small"
          aria-expanded={isOpen}
          onClick={() => open(!isOpen)}
        >
          <Icon name={isOpen ? 'down' : 'right'} className="s" />
          {isOpen ? 'Fold' : 'Unfold'}
        </button>
      </div>
      <div className="dock-body" hidden={!isOpen || tab !== 'try'}>
        {children}
      </div>
      {isOpen && tab === 'diff' && (
        <div className="dock-body">
          <Suspense fallback={<Skeleton />}>
            {saved === text ? (
              <p className="quiet">Nothing differs from what the server has.</p>
            ) : (
              <DiffView before={saved} after={text} />
            )}
          </Suspense>
        </div>
      )}
    </section>
  );
}
