import * as Schema from "effect/Schema"

/** The error of a program that cannot listen on its address. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  address: Schema.String,
  why: Schema.String
}) {
  override get message(): string {
    return `cannot listen on ${this.address}: ${this.why}`
  }
}

/**
 * The names of the flags or settings for a program's address, for error messages: `--secure-port`, `--bind-address`.
 */
export interface ListenFlagNames {
  readonly port: string
  readonly host: string
}

interface ListenAddress {
  readonly host: string
  readonly port: number
  /** If absent, the message names no flag. */
  readonly flagNames?: ListenFlagNames
}

/** Makes the error, with its reason and how to choose another address. `code` is Node's, such as `EADDRINUSE`. */
export const listenFailed = (
  { code, message }: { readonly code?: string | undefined; readonly message: string },
  { flagNames, host, port }: ListenAddress
): ListenFailed => {
  const [withPortFlag, withHostFlag] =
    flagNames === undefined ? ["", ""] : [` with ${flagNames.port}`, ` with ${flagNames.host}`]
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `another process listens there; stop it, or choose another port${withPortFlag}`,
    EADDRNOTAVAIL: `this machine has no such address; choose another${withHostFlag}`,
    ENOTFOUND: `no such host; choose another${withHostFlag}`,
    EACCES: `this user may not; choose a port above 1023${withPortFlag}`
  }
  return new ListenFailed({
    address: host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`,
    why: reasons[code ?? ""] ?? message
  })
}
