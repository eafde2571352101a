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
  readonly flags: ListenFlags
}

/** Why a program cannot listen, and which of its flags chooses another place. */
export const listenFailed = (
  { code, message }: { readonly code?: string | undefined; readonly message: string },
  { flags, host, port }: Where
): ListenFailed => {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `another process listens there; stop it, or choose another port with ${flags.port}`,
    EADDRNOTAVAIL: `this machine has no such address; choose another with ${flags.host}`,
    ENOTFOUND: `no such host; choose another with ${flags.host}`,
    EACCES: `this user may not; choose a port above 1023 with ${flags.port}`
  }
  return new ListenFailed({
    address: host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`,
    why: reasons[code ?? ""] ?? message
  })
}
