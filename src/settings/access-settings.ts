// Settings of access that concern no area alone: what asks for a token, and secrets.
import { flag, text } from './setting.js';

export const accessSettings = {
  allowUnauthenticated: flag('Listens beyond loopback although authentication is off', false),
  restrictTaskDefinitions: flag(
    'Every task definition counts as restricted: using it in a workflow needs EXECUTE on it',
    false,
  ),
  metricsToken: flag('/metrics asks for a token too', false),
  apiDocsToken: flag('/api-docs asks for a token too', false),
  secretsKey: text(
    'Key that seals stored secrets: 32 bytes in base64, a name and a colon before it if wanted; several lines for a rotation',
    '',
  ),
  secretsKeyFile: text('File with such keys, read again every half minute', ''),
  secretsKeyCommand: text('Command whose output is such keys', ''),
} as const;
