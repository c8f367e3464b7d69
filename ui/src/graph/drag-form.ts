/** The kind of data in a drag of a task type from the palette. */
export const dragForm = 'text/x-downbeat-task-type';
