/** The exit code of a command that a signal stops: what a shell says, except for servers that a signal is meant to stop. */
export const afterSignal: { code: number } = { code: 130 }
