// Patterns and the gallery of what others wrote, to start from: each card says what it does, shows
// its kinds of tasks, opens it in the editor, or registers and starts it as it is.
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { Button } from '../../design/controls';
import { FilterField, useFilter } from '../../design/filter-field';
import { Icon } from '../../design/icon';
import { ErrorNote } from '../../design/notes';
import { PageHead } from '../../design/page-head';
import { PageLink } from '../../design/page-link';
import { taskKind } from '../../graph/graph-node';
import { useRefusal } from '../../state/rights';
import {
  bringsOf,
  gallery,
  handbookPageOf,
  registerParts,
  runTemplate,
  tasksIn,
  templates,
  type Template,
} from '../../templates/templates';
import './templates.css';

export function Templates(): ReactElement {
  const { fits } = useFilter();
  const isShown = ({ title, about }: Template): boolean => fits(`${title} ${about}`);
  const shown = templates.filter(isShown);
  const others = gallery.filter(isShown);
  return (
    <>
      <PageHead title="Templates" call={{ method: 'GET', path: '/api/metadata/workflow' }} />
      <p className="quiet">Ten patterns that run. Open one in the editor and make it yours.</p>
      <FilterField label="Template" />
      {shown.length + others.length === 0 && <p className="quiet">Nothing found.</p>}
      <Cards of={shown} />
      {others.length > 0 && (
        <section className="gallery" aria-label="Gallery">
          <h2>Gallery</h2>
          <p className="quiet">
            Definitions that others wrote, one idea each.{' '}
            <a href="docs/gallery/index.html">Where they are from</a>
          </p>
          <Cards of={others} />
        </section>
      )}
    </>
  );
}

function Cards({ of }: { readonly of: readonly Template[] }): ReactElement {
  return (
    <ul className="templates">
      {of.map((template) => (
        <Card key={template.id} template={template} />
      ))}
    </ul>
  );
}

function Card({ template }: { readonly template: Template }): ReactElement {
  const { id, title, about, workflows } = template;
  const handbookPage = handbookPageOf(template);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const navigate = useNavigate();
  const refused = useRefusal('WORKFLOW_DEF')('CREATE');
  const tasks = tasksIn(workflows[0].tasks);
  const brings = bringsOf(template);
  const run = async (): Promise<void> => {
    setError(undefined);
    setBusy(true);
    try {
      if (template.calls === undefined) {
        await navigate({ to: `/executions/${await runTemplate(template)}` });
      } else {
        await registerParts(template, { withFirst: true });
        await navigate({ to: '/run', search: { name: workflows[0].name } });
      }
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <li className="panel" aria-label={title}>
      <h2>
        <PageLink to="/definition-editor" view={{ template: id }}>
          {title}
        </PageLink>
      </h2>
      <p>{about}</p>
      <Kinds types={tasks.map(({ type = 'SIMPLE' }) => type)} />
      <p className="quiet small">
        {[`${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}`, ...brings].join(', ')}
        {handbookPage !== undefined && (
          <>
            {' · '}
            <a href={handbookPage}>Handbook</a>
          </>
        )}
      </p>
      {error !== undefined && <ErrorNote error={error} />}
      <div className="row end-of-card">
        <PageLink to="/definition-editor" view={{ template: id }} className="button">
          Open in the editor
        </PageLink>
        <Button
          look="bare"
          refused={refused ?? (isBusy ? 'The server is at it' : undefined)}
          onClick={() => void run()}
        >
          <Icon name="play" className="s" />
          {isBusy ? 'Starting …' : 'Run it'}
        </Button>
      </div>
    </li>
  );
}

/** The kinds of its tasks in their order, each once. */
function Kinds({ types }: { readonly types: readonly string[] }): ReactElement {
  return (
    <p className="row">
      {[...new Set(types)].map((type) => {
        const { icon, word } = taskKind(type);
        return (
          <span key={type} className="badge kind">
            <Icon name={icon} className="s" />
            {word}
          </span>
        );
      })}
    </p>
  );
}
