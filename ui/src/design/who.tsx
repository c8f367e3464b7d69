// Somebody who did something, by the name that people know; the id stands in the title.
import type { ReactElement } from 'react';
import { applicationPrefix, useNamed } from '../state/who';

/** `id`: of a user, or `app:` and that of an application. */
export function Who({ id }: { readonly id: string }): ReactElement {
  return id.includes(applicationPrefix) ? <Named id={id} /> : <>{id}</>;
}

function Named({ id }: { readonly id: string }): ReactElement {
  const named = useNamed();
  return <span title={id}>{named(id)}</span>;
}
