// Tabs of a page; the chosen one stands in the URL as `tab`.
import { useEffect, useRef, type KeyboardEvent, type ReactElement, type ReactNode } from 'react';
import { count } from '../state/format';
import { useView } from '../state/view';

export interface Tab {
  readonly id: string;
  readonly title: string;
  /** How many things it shows; said beside the title. */
  readonly count?: number;
  /** Some of them failed. */
  readonly isBad?: boolean;
  readonly show: () => ReactNode;
}

export function Tabs({ tabs }: { readonly tabs: readonly Tab[] }): ReactElement {
  const [view, change] = useView();
  const list = useRef<HTMLDivElement>(null);
  const chosen = tabs.find(({ id }) => id === view['tab']) ?? (tabs[0] as Tab);
  const at = tabs.indexOf(chosen);
  // In a narrow window the chosen tab may stand out of sight.
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [at]);
  const step = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0) return;
    const next = (at + by + tabs.length) % tabs.length;
    change({ tab: (tabs[next] as Tab).id }, true);
    (list.current?.children[next] as HTMLElement | undefined)?.focus();
  };
  return (
    <>
      <div role="tablist" className="tabs" ref={list} onKeyDown={step}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            id={`tab-${tab.id}`}
            type="button"
            role="tab"
            aria-selected={tab === chosen}
            aria-controls="tab-panel"
            tabIndex={tab === chosen ? 0 : -1}
            onClick={() => change({ tab: tab.id }, true)}
          >
            {tab.title}
            {tab.count !== undefined && (
              <>
                {' '}
                <span className={tab.isBad === true ? 'n bad' : 'n'}>{count(tab.count)}</span>
              </>
            )}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="tab-panel" aria-labelledby={`tab-${chosen.id}`} tabIndex={0}>
        {chosen.show()}
      </div>
    </>
  );
}
