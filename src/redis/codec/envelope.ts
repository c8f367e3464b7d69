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
  packer.clear();
  packer.asRecord();
  packer.value(fields);
  return packer.take();
}
