// Writes a definition in a workspace. Save registers it, unless the server's version has changed
// meanwhile, with what templates in it bring; the draft stays in the browser until it is saved.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { BulkResponse, WorkflowDef, Written } from '../../api/types';
import { Button } from '../../design/controls';
import { ErrorNote, Loaded } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { readDefinition, withoutDefaults, type ReadText } from '../../editor/definition-text';
import { useProblems } from '../../editor/problems';
import { sampleDefinition } from '../../state/sample-definition';
import { useRefusal } from '../../state/rights';
import { useView } from '../../state/view';
import { bringsOf, registerParts, templateOf, type Template } from '../../templates/templates';
import { ChangedNote } from './changed-note';
import { useDraft } from './draft';
import { useMoreOffers } from './offers';
import { stampOf, useServerVersions } from './server-version';
import { Workspace } from './workspace';
import './editor.css';

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
interface EditorProps {
  readonly start: Written<WorkflowDef> & Pick<WorkflowDef, 'name'>;
  readonly draftKey: string;
  /** Whether the server has it as it is. */
  readonly isStored: boolean;
  /** The template that it was begun from: saving registers the rest of the template, too. */
  readonly template?: Template;
}

function Editor({ start, draftKey, isStored, template }: EditorProps): ReactElement {
  const draft = useDraft(start, draftKey, isStored);
  const { text, original, setText } = draft;
  const [error, setError] = useState<unknown>();
  const [saved, setSaved] = useState(isStored ? original : '');
  const [isSaving, setSaving] = useState(false);
  const client = useQueryClient();
  const navigate = useNavigate();
  const read = useMemo(() => readDefinition(text), [text]);
  const { definition } = read;
  const drawn = useLastGood(read, original);
  const told = useProblems(definition);
  const problems = useMemo(() => [...drawn.broken, ...told], [drawn, told]);
  // Templates whose tasks are in it.
  const [used, use] = useState<readonly Template[]>(template === undefined ? [] : [template]);
  const parts = [...new Set(used.flatMap(bringsOf))];
  const more = useMoreOffers(start.name, isStored);
  const versions = useServerVersions(definition, isStored && definition?.name === start.name);
  const isChanged = (server: WorkflowDef | undefined): server is WorkflowDef =>
    server !== undefined && stampOf(server) !== draft.base;
  const save = async (wanted: string, isForced: boolean): Promise<void> => {
    const { definition: next, problem } = readDefinition(wanted);
    if (next === undefined) throw new Error(problem);
    if (!isForced && isChanged(await versions.ask(next))) return;
    for (const each of used) await registerParts(each, { withFirst: false });
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
      {parts.length > 0 && (
        <p className="quiet small">
          Saving also registers what{' '}
          {used.length === 1 ? 'the template brings' : 'the templates bring'} and the server does
          not have yet: {parts.join(', ')}.
        </p>
      )}
      <Workspace
        {...{ draftKey, text, setText, saved, read, drawn, problems, template }}
        offers={more}
        onTemplate={(next) => use([...new Set([...used, next])])}
      />
    </>
  );
}

/** The last text that made a definition; at first the text before the draft. */
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
