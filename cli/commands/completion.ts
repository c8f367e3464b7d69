// `downbeat completion SHELL`: a script for the shell that asks this command what may come next, so
// it knows every command and option without a list of its own.
import type { Command } from 'commander';
import { badInput } from '../shared/failure.js';

const scripts: Readonly<Record<string, string>> = {
  bash: `# eval "$(downbeat completion bash)"
_downbeat() {
  local IFS=$'\\n'
  COMPREPLY=($(downbeat __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _downbeat downbeat`,
  zsh: `# eval "$(downbeat completion zsh)"
_downbeat() {
  local -a found
  found=("\${(@f)$(downbeat __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found
}
compdef _downbeat downbeat`,
  fish: `# downbeat completion fish | source
complete -c downbeat -f -a '(downbeat __complete -- (commandline -opc)[2..] (commandline -ct))'`,
};

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .helpGroup('This command:')
    .summary('completion for bash, zsh or fish')
    .argument('<shell>', 'bash, zsh or fish')
    .action((shell: string) => {
      const script = scripts[shell];
      if (script === undefined)
        throw badInput(
          `There is completion for ${Object.keys(scripts).join(', ')}, not '${shell}'.`,
        );
      process.stdout.write(`${script}\n`);
    });
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action((words: string[]) => {
      const found = candidates(program, words);
      if (found.length > 0) process.stdout.write(`${found.join('\n')}\n`);
    });
}

/** The words that may stand in place of the last of `words`, which may be begun or empty. */
export function candidates(program: Command, words: readonly string[]): string[] {
  const begun = words.at(-1) ?? '';
  let command = program;
  for (const word of words.slice(0, -1)) {
    command = command.commands.find((each) => each.name() === word) ?? command;
  }
  const names = begun.startsWith('-')
    ? [...optionsOf(command), ...optionsOf(program), '--help']
    : command.commands.map((each) => each.name()).filter((name) => !name.startsWith('__'));
  return [...new Set(names)].filter((name) => name.startsWith(begun)).sort();
}

function optionsOf(command: Command): string[] {
  return command.options.map(({ long }) => long ?? '').filter((name) => name !== '');
}
