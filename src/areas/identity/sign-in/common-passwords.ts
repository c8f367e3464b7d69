// Passwords that others try first (ASVS 6.2.4, 6.2.11, 6.2.12): some 18,000 of leaked lists that
// are long enough to be accepted otherwise, and words that a stranger knows of this server or of
// the person, with digits and signs around them. The list comes from a package and is read when a
// password is set for the first time.
import { passwordLength } from './passwords.js';

/** Words of the product and of its field; refused alone, or with digits and signs only. */
const knownWords = ['downbeat', 'conductor', 'workflow', 'orkes', 'administrator', 'password'];

let leaked: Promise<ReadonlySet<string>> | undefined;

/**
 * Whether a password is too well known to protect anybody. Case does not count. `personId`: an
 * address or a name; it and the part before the `@` are words that a stranger tries.
 */
export async function isCommonPassword(password: string, personId: string): Promise<boolean> {
  const lower = password.normalize('NFKC').toLowerCase();
  const person = personId.toLowerCase();
  if (lower === person) return true;
  const letters = lettersOf(lower);
  const words = [...knownWords, person.split('@', 1)[0] ?? ''];
  // Nothing but digits and signs is left to the list: such a password can be long and drawn.
  if (letters !== '' && words.some((word) => letters === lettersOf(word))) return true;
  return (await leakedPasswords()).has(lower);
}

function lettersOf(text: string): string {
  return text.replaceAll(/[^\p{L}]/gu, '');
}

async function leakedPasswords(): Promise<ReadonlySet<string>> {
  leaked ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) =>
      new Set(dictionary['passwords-common'].filter((known) => known.length >= passwordLength.min)),
  );
  return await leaked;
}
