// Writes a definition: its text and its graph side by side; both edit the one text. Try runs it
// with mocks, without keeping anything; Save registers it, unless the server's version has changed
// meanwhile. The draft stays in the browser until it is saved.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { BulkResponse, Workflow, WorkflowDef } from '../../api/types';
import { Button } from '../../design/controls';
import { ErrorNote, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import {
  offersOf,
  readDefinition,
  withoutDefaults,
  type ReadText,
} from '../../editor/definition-text';
import { JsonEditor } from '../../editor/json-editor';
import { ProblemList } from '../../editor/problem-list';
import { useProblems } from '../../editor/problems';
import { Graph } from '../../graph/graph';
import { GraphEditor, type TextHistory } from '../../graph/graph-editor';
import type { RawDefinition } from '../../graph/task-lists';
import { sampleDefinition } from '../../state/sample-definition';
import { useRefusal } from '../../state/rights';
import { useView } from '../../state/view';
import { bringsOf, registerParts, templateOf, type Template } from '../../templates/templates';
import { ChangedNote } from './changed-note';
import { useDraft } from './draft';
import { useMoreOffers } from './offers';
import { stampOf, useServerVersions } from './server-version';
import { TryPanel } from './try-panel';

export function DefinitionEditor(): ReactElement {
  const [view] = useView();
  const name = view['name'];
  const stored = useQuery({
    queryKey: ['definition', name, view['version']],
    queryFn: ({ signal }) =>
      ask<WorkflowDef>(
        `/api/metadata/workflow/${encodeURIComponent(name ?? '')}?version=${view['version'] ?? ''}`,
        { signal },
      ),
    enabled: name !== undefined,
    refetchOnWindowFocus: false,
    // One begins with what the server has now, not with what it once answered.
    gcTime: 0,
  });
  const template = templateOf(view['template']);
  if (name === undefined)
    return template === undefined ? (
      <Editor start={sampleDefinition} draftKey="new" isStored={false} />
    ) : (
      <Editor
        key={template.id}
        start={template.workflows[0]}
        draftKey={`template.${template.id}`}
        isStored={false}
        template={template}
      />
    );
  return (
    <Loaded query={stored} title={name}>
      {(start) => <Editor start={withoutDefaults(start)} draftKey={name} isStored />}
    </Loaded>
  );
}

const definitionsPath = '/api/metadata/workflow';
/** Before the text editor is there. */
const noHistory: TextHistory = { undo: () => undefined, redo: () => undefined };

interface EditorProps {
  readonly start: WorkflowDef;
  readonly draftKey: string;
  /** Whether the server has it as it is. */
  readonly isStored: boolean;
  /** What it was begun from: saving registers what else the template brings. */
  readonly template?: Template;
}

function Editor({ start, draftKey, isStored, template }: EditorProps): ReactElement {
  const draft = useDraft(start, draftKey, isStored);
  const { text, original, setText } = draft;
  const [error, setError] = useState<unknown>();
  const [saved, setSaved] = useState(isStored ? original : '');
  const [isSaving, setSaving] = useState(false);
  const [result, setResult] = useState<Workflow>();
  const [history, setHistory] = useState<TextHistory>(noHistory);
  const client = useQueryClient();
  const navigate = useNavigate();
  const read = useMemo(() => readDefinition(text), [text]);
  const { definition } = read;
  const drawn = useLastGood(read, original);
  const problems = useProblems(definition);
  const marked = useMemo(
    () => new Set([...drawn.broken, ...problems.flatMap(({ ref = [] }) => ref)]),
    [drawn, problems],
  );
  const [, changeView] = useView();
  const more = useMoreOffers(start.name, isStored);
  const versions = useServerVersions(definition, isStored && definition?.name === start.name);
  const isChanged = (server: WorkflowDef | undefined): server is WorkflowDef =>
    server !== undefined && stampOf(server) !== draft.base;
  const save = async (wanted: string, isForced: boolean): Promise<void> => {
    const { definition: next, problem } = readDefinition(wanted);
    if (next === undefined) throw new Error(problem);
    if (!isForced && isChanged(await versions.ask(next))) return;
    if (template !== undefined) await registerParts(template, { withFirst: false });
    await put(next);
    const stored = await versions.ask(next);
    draft.settle(wanted, stored === undefined ? '' : stampOf(stored));
    setSaved(wanted);
    await client.invalidateQueries();
  };
  const startSave = (wanted: string, isForced = false): void => {
    setError(undefined);
    setSaving(true);
    void save(wanted, isForced)
      .catch(setError)
      .finally(() => setSaving(false));
  };
  const refusal = useRefusal('WORKFLOW_DEF', isStored ? start.name : '');
  const refused = definition === undefined ? read.problem : refusal(isStored ? 'UPDATE' : 'CREATE');
  const isSaved = saved === text;
  return (
    <>
      <PageHead
        title={definition?.name ?? 'Definition'}
        {...(definition === undefined
          ? {}
          : { call: { method: 'PUT', path: definitionsPath, body: [definition] } })}
        aside={<span role="status">{isSaved ? 'Saved' : 'Draft'}</span>}
        actions={
          <>
            {text !== original && (
              <Button onClick={() => setText(original)}>Discard the draft</Button>
            )}
            <Button
              look={isSaved ? 'plain' : 'main'}
              refused={refused}
              onClick={() => startSave(text)}
            >
              Save
            </Button>
            <Button
              look={isSaved ? 'main' : 'plain'}
              refused={isSaved ? undefined : 'Save it first'}
              onClick={() =>
                void navigate({
                  to: '/run',
                  search: {
                    name: definition?.name ?? '',
                    version: String(definition?.version ?? 1),
                  } as never,
                })
              }
            >
              Run
            </Button>
          </>
        }
      />
      {error !== undefined && <ErrorNote error={error} />}
      {!isSaving && definition !== undefined && isChanged(versions.known) && (
        <ChangedNote
          server={versions.known}
          text={text}
          next={versions.newest + 1}
          refused={refused}
          saveAs={(version) => {
            const next = JSON.stringify({ ...definition, version }, undefined, 2);
            setText(next);
            startSave(next);
          }}
          take={(server) => {
            draft.settle(server, versions.known ? stampOf(versions.known) : '');
            setSaved(server);
          }}
          overwrite={() => startSave(text, true)}
        />
      )}
      {template !== undefined && bringsOf(template).length > 0 && (
        <p className="quiet">
          Saving also registers what the template brings and the server does not have yet:{' '}
          {bringsOf(template).join(', ')}.
        </p>
      )}
      <div className="split editor-split">
        <JsonEditor
          label="Definition as JSON"
          value={text}
          onChange={setText}
          offers={[...offersOf(read), ...more]}
          problems={problems}
          onReady={setHistory}
        />
        <div className="stack">
          {read.problem !== undefined && <p className="error-text reason">{read.problem}</p>}
          {definition === undefined && drawn.definition !== undefined && (
            <>
              <p className="quiet">
                The graph shows the last text that made sense. It can be edited again once the text
                does.
              </p>
              <Graph tasks={drawn.tasks} marked={marked} />
            </>
          )}
          {definition !== undefined && (
            <GraphEditor
              definition={definition as unknown as RawDefinition}
              tasks={read.tasks}
              marked={marked}
              stateOf={({ ref }) => stateIn(result, ref)}
              onEdit={(next) => setText(JSON.stringify(next, undefined, 2))}
              history={history}
            />
          )}
          {read.broken.size > 0 && (
            <p className="error-text">
              References that name no task: in {[...read.broken].join(', ')}.
            </p>
          )}
          <ProblemList problems={problems} choose={(ref) => changeView({ task: ref }, true)} />
        </div>
      </div>
      <TryPanel
        {...{ draftKey, read, result }}
        onResult={setResult}
        {...(template === undefined ? {} : { template })}
      />
    </>
  );
}

/** What was read last that made a definition; at first the text before the draft. */
function useLastGood(read: ReadText, original: string): ReadText {
  const [good, keep] = useState(() => readDefinition(original));
  if (read.definition !== undefined && read !== good) keep(read);
  return read.definition === undefined ? good : read;
}

/** Rejects with what the server has against it. */
async function put(definition: WorkflowDef): Promise<void> {
  await ask('/api/metadata/workflow/validate', { method: 'POST', body: definition });
  const answer = await ask<BulkResponse>(definitionsPath, {
    method: 'PUT',
    body: [definition],
  });
  const refused = Object.values(answer.bulkErrorResults)[0];
  if (refused !== undefined) throw new Error(refused);
}

function stateIn(result: Workflow | undefined, ref: string): { status: string } | undefined {
  const last = result?.tasks.findLast(
    (task) => task.referenceTaskName.replace(/__\d+$/, '') === ref,
  );
  return last && { status: last.status };
}
