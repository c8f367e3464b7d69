// A link between an account and an identity of the provider, as it is stored and as administrators
// see it. Times are epoch ms.
import { oneOf, text, time } from '../../../model/schema.js';
import { told } from '../../../model/field.js';
import { always, shown } from '../fields.js';

/** Which identity of the provider signs in as a person, or that the next one may. */
export type ProviderLink =
  | { readonly id: string; readonly state: 'ALLOWED'; readonly by: string; readonly at: number }
  | {
      readonly id: string;
      readonly state: 'LINKED';
      readonly issuer: string;
      readonly subject: string;
      readonly at: number;
    };

export const providerLink = shown('ProviderLink', {
  id: always<string>(text('Id of the user')),
  state: always<'NONE' | ProviderLink['state']>(oneOf(['NONE', 'ALLOWED', 'LINKED'])),
  by: told<string>(text('Administrator who has allowed it')),
  issuer: told<string>(text('Provider')),
  subject: told<string>(text('Identity of that provider')),
  at: told<number>(time('Since when')),
});
