// Explains the rights of somebody on one resource, and which role or grant gives them.
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { ask } from '../../api/client';
import type { ExplainedRight } from '../../api/types';
import { Button, Field } from '../../design/controls';
import { Loaded } from '../../design/notes';
import { Who } from '../../design/who';
import { SmallTable, type SmallColumn } from '../../design/small-table';
import { SubjectField } from './subject-field';
import { TargetField } from './target-field';
import { resourceTypes, rightsInOrder, subjectWords, targetWords, typeWord } from './words';

interface Question {
  readonly who: string;
  readonly type: string;
  readonly id: string;
}

/** `who`: a user or `app:` and the id of an application; absent: it is asked for. */
export function ExplainRights({ who }: { readonly who?: string }): ReactElement {
  const [typed, type] = useState<Question>({ who: who ?? '', type: 'WORKFLOW_DEF', id: '' });
  const [asked, askFor] = useState<Question>();
  return (
    <section className="stack" aria-label="Effective rights">
      <h3>{who === undefined ? 'What may somebody do?' : 'What may it do?'}</h3>
      <form
        data-aside
        className="row bottom"
        onSubmit={(event) => {
          event.preventDefault();
          askFor({ ...typed, who: typed.who.trim(), id: typed.id.trim() });
        }}
      >
        {who === undefined && (
          <SubjectField
            label="Who"
            type="USER"
            value={typed.who}
            onChange={(value) => type({ ...typed, who: value })}
          />
        )}
        <Field
          label="With the"
          kind="select"
          value={typed.type}
          options={resourceTypes}
          words={Object.fromEntries(resourceTypes.map((each) => [each, typeWord(each)]))}
          onChange={(value) => type({ ...typed, type: value, id: '' })}
        />
        <TargetField
          label="Named"
          type={typed.type}
          value={typed.id}
          onChange={(value) => type({ ...typed, id: value })}
        />
        <Button type="submit">Show</Button>
      </form>
      {asked !== undefined && <Answer asked={asked} />}
    </section>
  );
}

function Answer({ asked: { who, type, id } }: { readonly asked: Question }): ReactElement {
  const parameters = new URLSearchParams({ type, id });
  const query = useQuery({
    queryKey: ['grants', 'explained', who, type, id],
    queryFn: ({ signal }) => {
      const path = `/api/users/${encodeURIComponent(who)}/access?${parameters.toString()}`;
      return ask<readonly ExplainedRight[]>(path, { signal });
    },
  });
  return (
    <Loaded query={query}>
      {(rights) => (
        <>
          <p>
            <Who id={subjectWords({ type: 'USER', id: who })} /> and {targetWords({ type, id })}:
          </p>
          <SmallTable
            label={`Rights of ${who}`}
            rows={[...rights].sort((a, b) => placeOf(a) - placeOf(b))}
            columns={columns}
            keyOf={({ right }) => right}
            empty=""
          />
        </>
      )}
    </Loaded>
  );
}

const placeOf = ({ right }: ExplainedRight): number => rightsInOrder.indexOf(right);

const columns: readonly SmallColumn<ExplainedRight>[] = [
  { title: 'May', cell: ({ right }) => right.toLowerCase() },
  { title: 'Answer', cell: ({ held }) => (held ? <b>yes</b> : 'no') },
  {
    title: 'By',
    cell: ({ by, held }) =>
      by.length === 0 ? (
        ''
      ) : (
        <ul className="plain">
          {by.map((source) => (
            <li key={JSON.stringify(source)}>
              <Who id={sourceWords(source)} />
            </li>
          ))}
          {!held && (
            <li className="quiet">An application needs a role for it as well, such as WORKER.</li>
          )}
        </ul>
      ),
  },
];

function sourceWords({ kind, role = '', subject, target }: ExplainedRight['by'][number]): string {
  if (kind === 'role') return `role ${role} of ${subjectWords(subject)}`;
  const on = target === undefined ? '' : ` on ${targetWords(target)}`;
  return `grant to ${subjectWords(subject)}${on}`;
}
