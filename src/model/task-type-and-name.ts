// How the texts of violated rules name a task configuration (contract-core 6.4).

export function taskTypeAndName(config: { readonly type: string; readonly name: string }): string {
  return `taskType: ${config.type} taskName: ${config.name}`;
}
