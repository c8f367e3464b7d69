// Named views of this browser: open one, name the one that is shown, forget one.
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { ActionDialog, Button, Field } from '../../design/controls';
import { forgetView, savedViews, saveView, searchOf } from '../../state/saved-views';
import { parseView, useView } from '../../state/view';

export function SavedViews(): ReactElement | null {
  const [view] = useView();
  const [views, setViews] = useState(savedViews);
  const [name, setName] = useState<string>();
  const navigate = useNavigate();
  const here = searchOf(view);
  const shown = views.find(({ search }) => search === here);
  const isNameable = here !== '' && shown === undefined;
  if (views.length === 0 && !isNameable) return null;
  return (
    <div className="row" role="group" aria-label="Saved views">
      {views.length > 0 && (
        <select
          aria-label="Saved view"
          value={shown?.name ?? ''}
          onChange={(event) => {
            const chosen = views.find((each) => each.name === event.target.value);
            const search = parseView(chosen?.search ?? '');
            void navigate({ to: '/executions', search: search as never });
          }}
        >
          <option value="">{shown === undefined ? 'Saved views' : 'All executions'}</option>
          {views.map((each) => (
            <option key={each.name}>{each.name}</option>
          ))}
        </select>
      )}
      {isNameable && <Button onClick={() => setName('')}>Save this view</Button>}
      {shown !== undefined && (
        <Button onClick={() => setViews(forgetView(shown.name))}>Forget this view</Button>
      )}
      {name !== undefined && (
        <ActionDialog
          title="Save this view"
          effect="This browser keeps the filter, order and columns under a name. One of the same name is replaced."
          confirm="Save"
          act={async () => {
            if (name.trim() === '') throw new Error('A view needs a name');
            setViews(saveView(name.trim(), view));
          }}
          onClose={() => setName(undefined)}
        >
          <Field label="Name" value={name} onChange={setName} required />
        </ActionDialog>
      )}
    </div>
  );
}
