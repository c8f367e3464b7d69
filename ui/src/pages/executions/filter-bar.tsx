// Times, order and columns of the list of executions, and what is asked for in the grammar of
// searches, to take it elsewhere.
import { useEffect, useState, type ReactElement } from 'react';
import { Button, Field } from '../../design/controls';
import { Icon } from '../../design/icon';
import { isoText, localText } from '../../state/format';
import { useView, type View } from '../../state/view';
import { orders, queryOf } from '../../state/search';

type Fields = Readonly<Record<'from' | 'to' | 'sort' | 'cols', string>>;

function fieldsOf(view: View): Fields {
  const { from = '', to = '', sort = '', cols = '' } = view;
  return { from: localOf(from), to: localOf(to), sort, cols };
}

export function FilterBar(): ReactElement {
  const [view, change] = useView();
  const [fields, setFields] = useState(() => fieldsOf(view));
  useEffect(() => setFields(fieldsOf(view)), [view]);
  const set = (changed: Partial<Fields>): void => setFields({ ...fields, ...changed });
  const isMore = ['from', 'to', 'sort', 'cols'].some((name) => view[name] !== undefined);
  const query = queryOf(view);
  return (
    <form
      className="more-filter"
      onSubmit={(event) => {
        event.preventDefault();
        const { from, to } = fields;
        change({
          ...fields,
          from: momentOf(from, view['from']),
          to: momentOf(to, view['to']),
          start: '',
        });
      }}
    >
      <details key={String(isMore)} open={isMore}>
        <summary className="button bare">
          <Icon name="cols" className="s" />
          Times, order, columns
        </summary>
        <div className="row top">
          <Field
            label="Started from"
            kind="moment"
            value={fields.from}
            onChange={(from) => set({ from })}
          />
          <Field
            label="Started until"
            kind="moment"
            value={fields.to}
            onChange={(to) => set({ to })}
          />
          <Field
            label="Order"
            kind="select"
            value={fields.sort || orders[0][0]}
            options={orders.map(([order]) => order)}
            words={Object.fromEntries(orders)}
            onChange={(sort) => set({ sort: sort === orders[0][0] ? '' : sort })}
          />
          <Field
            label="More columns"
            value={fields.cols}
            hint="Such as input.amount, output.total, createdBy"
            onChange={(cols) => set({ cols })}
          />
        </div>
        <div className="row between">
          <p className="quiet">
            {query !== '' && (
              <>
                Asked for: <code>{query}</code>
              </>
            )}
          </p>
          <Button type="submit">Apply</Button>
        </div>
      </details>
    </form>
  );
}

/** A moment of an address as a field of the browser takes it, in local time; '' for none. */
function localOf(text: string): string {
  const at = Date.parse(text);
  return Number.isNaN(at) ? '' : localText(at);
}

/** The other way; what nobody has changed stays exactly as it is in the address. */
function momentOf(local: string, known: string | undefined): string {
  if (known !== undefined && localOf(known) === local) return known;
  const at = Date.parse(local);
  return Number.isNaN(at) ? '' : isoText(at);
}
