// The theme, kept in the browser.
import { keep, kept } from './browser-store';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const themeKey = 'downbeat.theme';

export function storedTheme(): Theme {
  const stored = kept(themeKey);
  return themes.find((theme) => theme === stored) ?? 'system';
}

export function applyStoredTheme(): void {
  const theme = storedTheme();
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function setTheme(theme: Theme): void {
  keep(themeKey, theme);
  applyStoredTheme();
}
