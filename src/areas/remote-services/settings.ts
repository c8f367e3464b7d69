// Settings of remote services.
import { integer } from '../../settings/setting.js';

export const remoteServiceSettings = {
  remoteServicesMax: integer('Remote services that there may be', 1000, 1),
  protoFilesMax: integer('Proto files of all remote services together', 1000, 1),
  serviceProtoBytesMax: integer(
    'Bytes of the proto files of one remote service together, which are read together',
    4 * 1024 * 1024,
    1,
  ),
} as const;
