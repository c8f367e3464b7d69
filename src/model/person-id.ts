// Ids of users compare without case, and rest in lower case (contract-admin 3.1): each id that
// comes from outside passes here.

/**
 * All but the characters that Unicode lowers to letters of ASCII: KELVIN SIGN becomes `k`, and `İ`
 * an `i` with a dot above. These stay as they are: a provider of identities may tell `Kim` with a
 * Kelvin sign from `Kim`, and two persons would be one.
 */
const lowered = /[^\u0130\u212A]+/gu;

export function personIdOf(given: string): string {
  return given.replace(lowered, (part) => part.toLowerCase());
}
