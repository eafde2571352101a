import type { ConnectionError } from "@rollcall/cluster"
import type * as Result from "effect/Result"
import type { ExecConfig } from "./kubeconfig/Kubeconfig.ts"

/** The user that a client impersonates. Upstream: client-go/rest/config.go ImpersonationConfig. */
export interface Impersonation {
  readonly user: string
  readonly uid?: string
  readonly groups?: ReadonlyArray<string>
  readonly extra?: Readonly<Record<string, ReadonlyArray<string>>>
}

/** A token that was fetched, and when to fetch the next one. */
export interface FetchedToken {
  readonly token: string
  readonly refreshAtMs: number
}

/** Fetches a token. */
export type FetchToken = (take: (fetched: Result.Result<FetchedToken, ConnectionError>) => void) => void

/** How a client authenticates, besides a constant client certificate. */
export type Auth =
  | { readonly type: "none" }
  | { readonly type: "token"; readonly token: string }
  /** The file is read again once a minute: tokens in files are replaced while processes run. */
  | { readonly type: "tokenFile"; readonly file: string; readonly token?: string }
  /**
   * A client certificate and its key in files, which are read again once a minute: certificates are renewed while
   * processes run.
   */
  | { readonly type: "certificateFiles"; readonly cert: string; readonly key: string }
  /** Tokens from another program, such as the API server itself. */
  | { readonly type: "fetched"; readonly fetch: FetchToken }
  | { readonly type: "basic"; readonly username: string; readonly password: string }
  | { readonly type: "exec"; readonly exec: ExecConfig; readonly cluster: ExecCluster }

/** The cluster as an exec plugin with provideClusterInfo receives it. */
export interface ExecCluster {
  readonly server: string
  readonly "tls-server-name"?: string
  readonly "insecure-skip-tls-verify"?: boolean
  readonly "certificate-authority-data"?: string
  readonly "proxy-url"?: string
  readonly config?: unknown
}

export interface ClientTls {
  /** PEM of the CA certificates; absent if the machine's trusted roots count. */
  readonly ca?: string
  /** The name that the server's certificate must be valid for, when it differs from the host of the URL. */
  readonly serverName?: string
  readonly insecure?: boolean
  /** PEM of the client certificate and its key. */
  readonly cert?: string
  readonly key?: string
}

/** Everything needed to reach one API server as one user: a resolved context of a kubeconfig. */
export interface ClientConfig {
  /** `https://host:port`, possibly with a path prefix. */
  readonly server: string
  readonly tls: ClientTls
  readonly auth: Auth
  readonly impersonate?: Impersonation
  /** The URL of the proxy; absent if there is none. */
  readonly proxyUrl?: string
  readonly disableCompression?: boolean
  /** The default namespace of commands. */
  readonly namespace: string
}
