/** The files that are the streams of the process that writes to them, and those of the first process of its container. */
const own = /^\/(?:dev\/(?:std(?:out|err)|fd\/[12])|proc\/self\/fd\/[12])$/
const ofFirst = /^\/proc\/1\/fd\/[12]$/

const streamIn = (path: string): 1 | 2 => (path.endsWith("err") || path.endsWith("2") ? 2 : 1)

/** What a file is that stands for a stream: of the process itself, or of the first one, whose output is the container's log. */
export type OutputDevice = { readonly stream: 1 | 2 } | { readonly log: 1 | 2 }

/** Returns the stream that a file stands for; undefined for any other file. */
export const outputDevice = (path: string): OutputDevice | undefined =>
  own.test(path) ? { stream: streamIn(path) } : ofFirst.test(path) ? { log: streamIn(path) } : undefined
