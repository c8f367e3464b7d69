// The generated parts of the reference are what the code says now. `npx vitest run --project unit
// test/structure/reference.test.ts --update` writes them.
import { describe, expect, it } from 'vitest';
import { declaredEndpoints } from '../support/endpoints.js';
import { errorsPage, limitsPage, metricsPage, settingsPage } from '../support/reference.js';
import { readProjectFile } from './source-tree.js';

describe('the reference', () => {
  it('has the errors that are answered', async () => {
    const page = errorsPage(declaredEndpoints(['--auth']));
    await expect(page).toMatchFileSnapshot('../../docs/errors.md');
  });

  it('has the limits that can be set', async () => {
    await expect(limitsPage()).toMatchFileSnapshot('../../docs/limits.md');
  });

  it.each([
    ['settings', settingsPage],
    ['metrics', metricsPage],
  ])('has the %s that there are', async (name, written) => {
    const page = readProjectFile(`docs/${name}.md`);
    await expect(written(page)).toMatchFileSnapshot(`../../docs/${name}.md`);
  });
});
