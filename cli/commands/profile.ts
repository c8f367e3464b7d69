// `downbeat profile`: servers by name, so that no address or key is typed again.
import type { Command } from 'commander';
import type { Context } from '../shared/context.js';
import { badInput, Failure } from '../shared/failure.js';
import { profilesFile, readProfiles, rootOf, writeProfiles } from '../shared/profiles.js';

export function addProfile(program: Command, contextOf: (command: Command) => Context): void {
  const profile = program.command('profile').helpGroup('This command:').summary('servers by name');
  profile.command('list').action((_: unknown, command: Command) => {
    const { out, env } = contextOf(command);
    const { current, profiles } = readProfiles(env);
    const names = Object.keys(profiles);
    const rows = names.map((name) => [
      name === current ? '*' : '',
      name,
      profiles[name]?.server ?? '',
      profiles[name]?.keyId ?? '',
    ]);
    const shown = names.map((name) => ({
      name,
      isCurrent: name === current,
      server: profiles[name]?.server,
      keyId: profiles[name]?.keyId,
    }));
    out.table(['', 'NAME', 'SERVER', 'KEY'], rows, shown);
  });
  profile
    .command('set')
    .summary('store a server under a name and use it')
    .argument('<name>', 'name of the profile')
    .argument('<server>', 'address, such as https://flows.example.org')
    .option('--key <id>', 'id of a key; its secret is taken from CONDUCTOR_AUTH_SECRET')
    .action((name: string, server: string, options: { key?: string }, command: Command) => {
      const { out, env } = contextOf(command);
      if (!/^[\w.-]{1,64}$/.test(name))
        throw badInput(`A profile's name has letters, digits, dots and dashes, not '${name}'.`);
      const keySecret = env['CONDUCTOR_AUTH_SECRET'] ?? '';
      if (options.key !== undefined && keySecret === '') {
        throw badInput(
          'Set CONDUCTOR_AUTH_SECRET to the secret of the key: on the command line it would stay in the history of the shell.',
        );
      }
      const known = readProfiles(env);
      const made = {
        server: rootOf(server),
        ...(options.key === undefined ? {} : { keyId: options.key, keySecret }),
      };
      writeProfiles(env, { current: name, profiles: { ...known.profiles, [name]: made } });
      out.result(
        { profile: name, server: made.server },
        () => `${name} is ${made.server}, and in use (${profilesFile(env)})`,
      );
    });
  profile
    .command('use')
    .argument('<name>', 'name of the profile')
    .action((name: string, _: unknown, command: Command) => {
      const { out, env } = contextOf(command);
      const known = readProfiles(env);
      if (known.profiles[name] === undefined)
        throw new Failure(`There is no profile ${name}: downbeat profile list shows them.`, 5);
      writeProfiles(env, { ...known, current: name });
      out.result({ current: name }, () => `${name} is in use`);
    });
  profile
    .command('remove')
    .argument('<name>', 'name of the profile')
    .action((name: string, _: unknown, command: Command) => {
      const { out, env } = contextOf(command);
      const { current, profiles } = readProfiles(env);
      if (profiles[name] === undefined)
        throw new Failure(`There is no profile ${name}: downbeat profile list shows them.`, 5);
      const rest = Object.fromEntries(Object.entries(profiles).filter(([each]) => each !== name));
      writeProfiles(env, {
        ...(current === undefined || current === name ? {} : { current }),
        profiles: rest,
      });
      out.result({ removed: name }, () => `${name} is removed`);
    });
}
