// The frame of all pages: side bar, theme, keyboard, palette and the page itself.
import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState, type ReactElement } from 'react';
import { PageLink } from '../design/page-link';
import { setTheme, storedTheme, themes, type Theme } from '../state/theme';
import { sectionGroups } from './sections';
import { ApiError, ask, onRefused } from '../api/client';
import { useFeaturesQuery, useServed } from '../state/features';
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
  const isServed = useServed();
  useShortcuts({ palette: () => open('palette'), help: () => open('help') });
  const features = useFeaturesQuery();
  const close = (): void => open(undefined);
  const { error, data } = features;
  useFreshRights();
  useShownSection(data !== undefined);
  const isSignedOut = error instanceof ApiError && error.status === 401;
  const { pathname } = useLocation();
  if (isSignedOut && data === undefined) {
    const isInvited = pathname.endsWith('/accept-invitation');
    return <Suspense>{isInvited ? <AcceptInvitation /> : <SignIn />}</Suspense>;
  }
  return (
    <div className="shell">
      <a href="#main" className="skip-link" onClick={focusMain}>
        Skip to the page
      </a>
      <div className="side-bar" data-open={isMenuOpen}>
        <div className="side-head">
          <PageLink to="/" className="brand">
            <img src="favicon.svg" alt="" width="20" height="20" />
            Downbeat
          </PageLink>
          <button type="button" className="button find" onClick={() => open('palette')}>
            Find <kbd>Ctrl K</kbd>
          </button>
          <button
            type="button"
            className="button menu-button"
            aria-expanded={isMenuOpen}
            aria-controls="pages"
            onClick={() => openMenu(!isMenuOpen)}
          >
            Menu
          </button>
        </div>
        <nav id="pages" aria-label="Pages" onClick={() => openMenu(false)}>
          {sectionGroups.map(({ title, sections }) => {
            const shown = sections.filter(({ needs }) => needs === undefined || isServed(needs));
            if (shown.length === 0) return null;
            return (
              <div key={title} className="side-group">
                <h2>{title}</h2>
                {shown.map((section) => (
                  <PageLink key={section.to} to={section.to}>
                    {section.title}
                  </PageLink>
                ))}
              </div>
            );
          })}
        </nav>
        <div className="row side-foot">
          <ThemeChoice />
          <button
            type="button"
            className="button plain"
            aria-label="Keys"
            title="Keys"
            onClick={() => open('help')}
          >
            ?
          </button>
          {data !== undefined && data.user.id !== '' && <PageLink to="/account">Account</PageLink>}
          {data !== undefined && data.user.id !== '' && (
            <button
              type="button"
              className="button plain"
              title={data.user.id}
              onClick={() => void ask('/api/sign-in', { method: 'DELETE' }).finally(leave)}
            >
              Sign out
            </button>
          )}
        </div>
      </div>
      <main id="main" tabIndex={-1}>
        <Outlet />
      </main>
      <Suspense>
        {opened === 'palette' && <Palette onClose={close} />}
        {opened === 'help' && <ShortcutHelp onClose={close} />}
        {isSignedOut && data !== undefined && <SignInAgain known={data.user.id} />}
      </Suspense>
    </div>
  );
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
    document.querySelector('#pages [data-status=active]')?.scrollIntoView({ block: 'nearest' });
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

function ThemeChoice(): ReactElement {
  const [theme, choose] = useState<Theme>(storedTheme());
  return (
    <select
      aria-label="Theme"
      value={theme}
      onChange={(event) => {
        const chosen = event.target.value as Theme;
        setTheme(chosen);
        choose(chosen);
      }}
    >
      {themes.map((each) => (
        <option key={each} value={each}>
          {each.charAt(0).toUpperCase() + each.slice(1)}
        </option>
      ))}
    </select>
  );
}
