// A list of facts about one thing: names with their values. An empty value is left out.
import type { ReactElement } from 'react';

export type Facts = readonly (readonly [name: string, value: ReactElement | string])[];

export function FactList({ facts }: { readonly facts: Facts }): ReactElement {
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
