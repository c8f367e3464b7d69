// Forms of answers about the server itself (contract-core 20.3).
import { anyObject, anything, flag, list, object, type Form } from '../form.js';

export const healthForm: Form = object(
  'Health',
  {
    healthResults: list(anything, 'Always empty'),
    suppressedHealthResults: list(anything, 'Always empty'),
    healthy: flag('Whether the server can serve'),
    details: anyObject,
  },
  ['healthy'],
);
