// Values as MessagePack at once: arguments of scripts, and stored records.
import { Packer, type PackValue } from './packer.js';

const packer = new Packer();

/** An argument of a script. */
export function packEnvelope(value: PackValue): Buffer {
  packer.clear();
  packer.value(value);
  return packer.take();
}

/** A stored record; absent values become null. */
export function packFields(fields: readonly PackValue[]): Buffer {
  return packBy(() => packer.value(fields));
}

/** Packs the values that `write` writes, as a part of a stored record. */
export function packBy(write: (packer: Packer) => void): Buffer {
  packer.clear();
  packer.asRecord();
  write(packer);
  return packer.take();
}
