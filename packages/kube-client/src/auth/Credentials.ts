import type { ConnectionError } from "@rollcall/cluster"
import type * as Result from "effect/Result"

/** What a request carries to show who sends it. */
export interface Credential {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** PEM of a client certificate and key that replace the configured ones. */
  readonly cert?: string
  readonly key?: string
}

/** Credentials as they are now. A source may have to ask a program or a file first. */
export interface Credentials {
  /** Hands over the credential: at once when it is known, else later. */
  readonly use: (take: (credential: Result.Result<Credential, ConnectionError>) => void) => void
  /** The server answered 401 to this one: the next use must fetch another. */
  readonly rejected: (credential: Credential) => void
}
