// The generated pages of the reference are what the code says now. `npx vitest run --project unit
// test/structure/reference.test.ts --update` writes them.
import { describe, expect, it } from 'vitest';
import { declaredEndpoints } from '../support/endpoints.js';
import { errorsPage, limitsPage } from '../support/reference.js';
import { readProjectFile } from './source-tree.js';

describe('the reference', () => {
  it('has the errors that are answered', async () => {
    const page = errorsPage(declaredEndpoints(['--auth']));
    await expect(page).toMatchFileSnapshot('../../docs/errors.md');
  });

  it('has the limits that can be set', async () => {
    await expect(limitsPage(readProjectFile('docs/settings.md'))).toMatchFileSnapshot(
      '../../docs/limits.md',
    );
  });
});
