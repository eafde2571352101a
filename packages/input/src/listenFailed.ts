import * as Schema from "effect/Schema"

/** A program cannot listen on its address. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  address: Schema.String,
  why: Schema.String
}) {
  override get message(): string {
    return `cannot listen on ${this.address}: ${this.why}`
  }
}

/** The names of the flags for a program's address: `--secure-port`, `--bind-address`. */
export interface ListenFlags {
  readonly port: string
  readonly host: string
}

interface Where {
  readonly host: string
  readonly port: number
  /** Absent: the message names no flag. */
  readonly flags?: ListenFlags
}

/** Makes the error with its reason and how to choose another address. `code` is Node's, such as `EADDRINUSE`. */
export const listenFailed = (
  { code, message }: { readonly code?: string | undefined; readonly message: string },
  { flags, host, port }: Where
): ListenFailed => {
  const [byPort, byHost] = flags === undefined ? ["", ""] : [` with ${flags.port}`, ` with ${flags.host}`]
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `another process listens there; stop it, or choose another port${byPort}`,
    EADDRNOTAVAIL: `this machine has no such address; choose another${byHost}`,
    ENOTFOUND: `no such host; choose another${byHost}`,
    EACCES: `this user may not; choose a port above 1023${byPort}`
  }
  return new ListenFailed({
    address: host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`,
    why: reasons[code ?? ""] ?? message
  })
}
