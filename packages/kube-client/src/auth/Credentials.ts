import type { ConnectionError } from "@rollcall/cluster"
import type * as Result from "effect/Result"

/** The credential of a request. */
export interface Credential {
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** PEM of a client certificate and key that replace the configured ones. */
  readonly cert?: string
  readonly key?: string
}

/** A source of the current credential. It may have to run a program or read a file first. */
export interface Credentials {
  /** Passes on the credential: at once when it is known, otherwise later. */
  readonly use: (take: (credential: Result.Result<Credential, ConnectionError>) => void) => void
  /** Reports that the server answered 401 to this credential: the next `use` must fetch a new one. */
  readonly rejected: (credential: Credential) => void
}

/** Returns the credential of a bearer token. */
export const bearer = (token: string): Credential => ({ headers: { authorization: `Bearer ${token}` } })
