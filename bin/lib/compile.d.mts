/** Path of the compiler of what this repository builds and checks. */
export const compiler: string;
