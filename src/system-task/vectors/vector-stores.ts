// The kinds of vector stores that plug-ins bring.
import type { VectorStoreKind } from './vector-store-kind.js';

export class VectorStores {
  constructor(
    private readonly kinds: readonly VectorStoreKind[],
    /** Why a type that is known is not here; undefined: it is not known. */
    readonly absence: (providerType: string) => string | undefined = () => undefined,
  ) {}

  find(providerType: string): VectorStoreKind | undefined {
    return this.kinds.find((kind) => kind.providerType === providerType);
  }
}
