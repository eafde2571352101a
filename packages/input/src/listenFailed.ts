import * as Schema from "effect/Schema"

/** The address is taken, or not ours to listen on. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  address: Schema.String,
  why: Schema.String
}) {
  override get message(): string {
    return `cannot listen on ${this.address}: ${this.why}`
  }
}

/** The flags that say where a program listens: `--secure-port`, `--bind-address`. */
export interface ListenFlags {
  readonly port: string
  readonly host: string
}

interface Where {
  readonly host: string
  readonly port: number
  /** Default: there are none, and the words name no flag. */
  readonly flags?: ListenFlags
}

/** Why a program cannot listen, and how another place is chosen. `code`: as Node has it, such as `EADDRINUSE`. */
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
