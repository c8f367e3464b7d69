/** What a drag of a type of tasks from the palette carries. */
export const dragForm = 'text/x-downbeat-task-type';
