// A real browser for the tests of the page: Debian's chromium, driven without a display.
import fs from 'node:fs';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { projectRoot } from '../../testkit/project.js';

const executablePath = '/usr/bin/chromium';

/** Why the tests of this folder cannot run here; undefined when they can. */
export const browserMissing: string | undefined = fs.existsSync(executablePath)
  ? undefined
  : `${executablePath} is missing: install Debian's chromium`;

export const stepTimeoutMs = 15_000;

export interface OpenOptions {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly reducedMotion?: boolean;
  /** Whether the browser may keep the page for when the server is away; else each load asks it. */
  readonly keeps?: boolean;
}

/** A browser and what its pages complained about. */
export class TestBrowser {
  /** Console errors, uncaught errors, violations of the policy, requests to other hosts. */
  readonly complaints: string[] = [];

  private constructor(private readonly browser: Browser) {}

  /** `args`: of the browser itself. Rejects with a sentence where there is none. */
  static async launch(args: string[] = []): Promise<TestBrowser> {
    if (browserMissing !== undefined) throw new Error(browserMissing);
    return new TestBrowser(await chromium.launch({ executablePath, headless: true, args }));
  }

  /** A page of its own session. */
  async open(url: string, options: OpenOptions = {}): Promise<Page> {
    const { theme = 'light', width = 1280, reducedMotion = false, keeps = false } = options;
    const context = await this.browser.newContext({
      viewport: { width, height: 860 },
      colorScheme: theme,
      serviceWorkers: keeps ? 'allow' : 'block',
      reducedMotion: reducedMotion ? 'reduce' : 'no-preference',
    });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await context.newPage();
    await page.addInitScript(countClicks);
    page.setDefaultTimeout(stepTimeoutMs);
    const { host } = new URL(url);
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(`${page.url()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.complaints.push(`${page.url()}: ${error.message}`));
    page.on('request', (request) => {
      const target = new URL(request.url());
      if (target.protocol.startsWith('http') && target.host !== host) {
        this.complaints.push(`${page.url()} calls ${target.host}`);
      }
    });
    await page.goto(url);
    return page;
  }

  close(): Promise<void> {
    return this.browser.close();
  }
}

const clicksKey = 'test.clicks';

/** Runs in the browser, in each document: counts the clicks of a person in this tab. */
const countClicks = `document.addEventListener('click', ({ isTrusted, detail }) => {
  if (!isTrusted || detail === 0) return;
  const before = Number(sessionStorage.getItem('${clicksKey}') ?? 0);
  sessionStorage.setItem('${clicksKey}', String(before + 1));
}, true)`;

/** Clicks since the last call. */
export async function clicksIn(page: Page): Promise<number> {
  return await page.evaluate<number>(`(() => {
    const clicks = Number(sessionStorage.getItem('${clicksKey}') ?? 0);
    sessionStorage.removeItem('${clicksKey}');
    return clicks;
  })()`);
}

/** Controls that a person walks past on the way to the one that they want, at most. */
const stepsMax = 30;

/** Walks to a control by Tab, or back by Shift and Tab: a person who has clicked nothing. */
export async function walkTo(
  page: Page,
  control: Locator,
  key: 'Tab' | 'Shift+Tab' = 'Tab',
): Promise<void> {
  await control.waitFor();
  const hasFocus = (): Promise<boolean> =>
    control.evaluate((element) => element.ownerDocument.activeElement === element);
  for (let steps = 0; !(await hasFocus()); steps += 1) {
    if (steps === stepsMax) throw new Error(`it is more than ${stepsMax} steps of ${key} away`);
    await page.keyboard.press(key);
  }
}

/** Types into a field that has the focus, or that can be walked to: where clicks are counted. */
export async function typeInto(page: Page, field: Locator, text: string): Promise<void> {
  await walkTo(page, field);
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text);
}

/** Builds the page into dist/ui, unless it is there already. Throws when it cannot be built. */
export function buildPage(): void {
  const script = path.join(projectRoot, 'bin', 'ui.mjs');
  execFileSync(process.execPath, [script], { stdio: ['ignore', 'inherit', 'inherit'] });
}
