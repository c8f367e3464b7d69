// The frame of all pages: side bar, theme, keyboard, palette and the page itself.
import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState, type ReactElement } from 'react';
import { Icon } from '../design/icon';
import { FailureRegion } from '../design/notes';
import { PageLink } from '../design/page-link';
import { keep, kept } from '../state/browser-store';
import { setTheme, storedTheme, themes, type Theme } from '../state/theme';
import { useMenuCounts, type MenuCount } from './menu-counts';
import {
  menuEntries,
  sectionAt,
  sectionGroups,
  useSectionGroups,
  type MenuEntry,
} from './sections';
import { ServerAway } from './server-away';
import { ApiError, ask, onRefused } from '../api/client';
import { useFeaturesQuery, useServed } from '../state/features';
import { count } from '../state/format';
import { humanTaskName, useHumanTask } from '../state/human-task';
import { useView } from '../state/view';
import { useShortcuts } from './use-shortcuts';

const Palette = lazy(() =>
  import('./palette').then(({ Palette: component }) => ({ default: component })),
);
const ShortcutHelp = lazy(() =>
  import('./shortcut-help').then(({ ShortcutHelp: component }) => ({ default: component })),
);
const SignInAgain = lazy(() =>
  import('./sign-in').then(({ SignInAgain: component }) => ({ default: component })),
);
const AcceptInvitation = lazy(() =>
  import('./accept-invitation').then(({ AcceptInvitation: component }) => ({ default: component })),
);
const SignIn = lazy(() =>
  import('./sign-in').then(({ SignIn: component }) => ({ default: component })),
);

export function Shell(): ReactElement {
  const [opened, open] = useState<'palette' | 'help' | undefined>();
  const [isMenuOpen, openMenu] = useState(false);
  const [isRailChosen, chooseRail] = useRail();
  const isServed = useServed();
  useShortcuts({ palette: () => open('palette'), help: () => open('help') });
  const features = useFeaturesQuery();
  const close = (): void => open(undefined);
  const { error, data } = features;
  const counts = useMenuCounts();
  const groups = useSectionGroups();
  useFreshRights();
  useShownSection(data !== undefined);
  const isSignedOut = error instanceof ApiError && error.status === 401;
  const { pathname } = useLocation();
  if (isSignedOut && data === undefined) {
    const isInvited = pathname.endsWith('/accept-invitation');
    return <Suspense>{isInvited ? <AcceptInvitation /> : <SignIn />}</Suspense>;
  }
  const here = sectionAt(pathname, groups);
  const isRail = isRailChosen ?? workspaces.test(pathname);
  return (
    <div className="shell" data-rail={isRail}>
      <a href="#main" className="skip-link" onClick={focusMain}>
        Skip to the page
      </a>
      <div className="nav" data-open={isMenuOpen}>
        <PageLink to="/" className="brand" title="Downbeat">
          <img src="favicon.svg" alt="" width="24" height="24" />
          <span>Downbeat</span>
        </PageLink>
        <nav id="pages" aria-label="Pages" onClick={() => openMenu(false)}>
          {groups.map(({ title, sections }) => {
            const shown = sections.filter(({ needs }) => needs === undefined || isServed(needs));
            if (shown.length === 0) return null;
            return (
              <div key={title} className="side-group">
                <h2>{title}</h2>
                {menuEntries(shown).map((entry) => (
                  <MenuLink
                    key={entry.title}
                    entry={entry}
                    isHere={entry.sections.some((section) => section === here)}
                    known={counts.get(entry.sections[0]?.to ?? '')}
                  />
                ))}
              </div>
            );
          })}
        </nav>
        <div className="who">
          {data !== undefined && data.user.id !== '' && (
            <>
              <PageLink to="/account" title={`Account of ${data.user.id}`}>
                {data.user.id}
              </PageLink>
              <button
                type="button"
                className="button bare small"
                onClick={() => void ask('/api/sign-in', { method: 'DELETE' }).finally(leave)}
              >
                Sign out
              </button>
            </>
          )}
          <ThemeChoice />
        </div>
      </div>
      <div className="scrim" onClick={() => openMenu(false)} />
      <header className="bar">
        <button
          type="button"
          className="button bare menu-button only-icon"
          aria-label="Menu"
          aria-expanded={isMenuOpen}
          aria-controls="pages"
          onClick={() => openMenu(!isMenuOpen)}
        >
          <Icon name="menu" />
        </button>
        <button
          type="button"
          className="button bare only-icon rail-button"
          aria-label={isRail ? 'Widen the menu' : 'Narrow the menu'}
          title={isRail ? 'Widen the menu' : 'Narrow the menu'}
          onClick={() => chooseRail(!isRail)}
        >
          <Icon name="side" />
        </button>
        <Crumbs pathname={pathname} />
        {data !== undefined && data.environment !== '' && (
          <span className="env" data-env={data.environment.toLowerCase()}>
            {data.environment}
          </span>
        )}
        <button type="button" className="find" onClick={() => open('palette')}>
          <Icon name="search" className="s" />
          <span>Find or go to</span>
          <kbd>Ctrl K</kbd>
        </button>
        <button
          type="button"
          className="button bare only-icon rail-button"
          aria-label="Keys"
          title="Keys"
          onClick={() => open('help')}
        >
          ?
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        <ServerAway />
        <FamilyTabs {...{ pathname, isServed }} isKnown={data !== undefined} />
        <FailureRegion>
          <Outlet />
        </FailureRegion>
      </main>
      <Suspense>
        {opened === 'palette' && <Palette onClose={close} />}
        {opened === 'help' && <ShortcutHelp onClose={close} />}
        {isSignedOut && data !== undefined && <SignInAgain known={data.user.id} />}
      </Suspense>
    </div>
  );
}

interface MenuLinkProps {
  readonly entry: MenuEntry;
  readonly isHere: boolean;
  /** Absent: nothing that a person has to look at. */
  readonly known: MenuCount | undefined;
}

function MenuLink({ entry, isHere, known }: MenuLinkProps): ReactElement {
  const { title, icon, sections } = entry;
  return (
    <PageLink
      to={sections[0]?.to ?? '/'}
      title={known === undefined ? title : `${title}: ${known.words}`}
      {...(isHere && { className: 'here' })}
    >
      <Icon name={icon} />
      <span>{title}</span>
      {known !== undefined && (
        <span className={known.isBad ? 'count bad' : 'count'} aria-hidden="true">
          {count(known.count)}
        </span>
      )}
    </PageLink>
  );
}

interface FamilyTabsProps {
  readonly pathname: string;
  readonly isServed: (area: string) => boolean;
  /** Whether it is known which pages there are. */
  readonly isKnown: boolean;
}

/** The pages that share an entry of the menu with the one that is shown. */
function FamilyTabs({ pathname, isServed, isKnown }: FamilyTabsProps): ReactElement | null {
  const family = sectionAt(pathname)?.family;
  if (family === undefined) return null;
  const pages = sectionGroups
    .flatMap(({ sections }) => sections)
    .filter((each) => each.family === family && isServed(each.needs ?? ''));
  if (isKnown && pages.length < 2) return null;
  return (
    <nav className="family" aria-label={family.title}>
      {pages.map(({ title, to }) => (
        <PageLink key={to} to={to}>
          {title}
        </PageLink>
      ))}
    </nav>
  );
}

/** Pages that need the width: one execution, and the editor. */
const workspaces = /\/(?:executions\/[^/]+|definition-editor)\/?$/;
const idLength = 36;

/** Where one is: the section, and what of it is open. */
function Crumbs({ pathname }: { readonly pathname: string }): ReactElement {
  const [view] = useView();
  const path = pathname.replace(/\/$/, '');
  const section = sectionAt(pathname, useSectionGroups());
  const isBelow = section !== undefined && (path || '/').startsWith(section.to);
  const rest = isBelow ? path.slice(section.to.length + 1) : (view['name'] ?? 'new');
  const whole = decoded(rest);
  const task = useHumanTask(section?.to === '/inbox' ? whole : '').data;
  const shown = task === undefined ? whole : humanTaskName(task);
  return (
    <nav className="crumbs" aria-label="Where you are">
      {section !== undefined &&
        (rest === '' ? (
          <span>{section.title}</span>
        ) : (
          <>
            <PageLink to={section.to}>{section.title}</PageLink>
            <Icon name="right" />
            <span className={shown.length === idLength ? 'mono' : ''} title={whole}>
              {shown.length === idLength ? shown.slice(0, 8) : shown}
            </span>
          </>
        ))}
    </nav>
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** After a refusal it is asked anew who asks and what they may do. */
function useFreshRights(): void {
  const client = useQueryClient();
  useEffect(
    () =>
      onRefused(() => {
        const known = client.getQueryState(['features']);
        // Without an answer the page asks for it anyway, or shows the form to sign in.
        if (known?.data === undefined || known.fetchStatus === 'fetching') return;
        for (const queryKey of [['features'], ['rights']]) {
          void client.invalidateQueries({ queryKey });
        }
      }),
    [client],
  );
}

/** Keeps the link to the page that is shown in sight. `isKnown`: all links are there. */
function useShownSection(isKnown: boolean): void {
  const { pathname } = useLocation();
  useEffect(() => {
    document.querySelector('#pages .here')?.scrollIntoView({ block: 'nearest' });
  }, [pathname, isKnown]);
}

/** Drops everything that was read for the one who signed out. */
function leave(): void {
  location.reload();
}

/** A link to `#main` would leave the base address. */
function focusMain(event: { preventDefault(): void }): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

const themeIcons = { system: 'auto', light: 'sun', dark: 'moon' } as const;

function ThemeChoice(): ReactElement {
  const [theme, choose] = useState<Theme>(storedTheme());
  return (
    <span className="themes" role="radiogroup" aria-label="Theme">
      {themes.map((each) => {
        const word = each.charAt(0).toUpperCase() + each.slice(1);
        return (
          <label key={each} title={word}>
            <input
              type="radio"
              name="theme"
              aria-label={word}
              checked={each === theme}
              onChange={() => {
                setTheme(each);
                choose(each);
              }}
            />
            <Icon name={themeIcons[each]} className="s" />
          </label>
        );
      })}
    </span>
  );
}

const railKey = 'downbeat.rail';

/** Whether the menu is narrow, where somebody has chosen; undefined: as the page needs it. */
function useRail(): [boolean | undefined, (isRail: boolean) => void] {
  const [chosen, choose] = useState(kept(railKey));
  const isRail = chosen === undefined ? undefined : chosen === 'narrow';
  return [
    isRail,
    (next) => {
      const text = next ? 'narrow' : 'wide';
      keep(railKey, text);
      choose(text);
    },
  ];
}
