import type { ExecConfig } from "./kubeconfig/Kubeconfig.ts"

/** Whom a client acts as, if not as itself. Upstream: client-go/rest/config.go ImpersonationConfig. */
export interface Impersonation {
  readonly user: string
  readonly uid?: string
  readonly groups?: ReadonlyArray<string>
  readonly extra?: Readonly<Record<string, ReadonlyArray<string>>>
}

/** How a client shows who it is, besides a client certificate. */
export type Auth =
  | { readonly type: "none" }
  | { readonly type: "token"; readonly token: string }
  /** Read again once a minute: tokens in files are replaced while processes run. */
  | { readonly type: "tokenFile"; readonly file: string; readonly token?: string }
  | { readonly type: "basic"; readonly username: string; readonly password: string }
  | { readonly type: "exec"; readonly exec: ExecConfig; readonly cluster: ExecCluster }

/** What an exec plugin with provideClusterInfo is told of the cluster. */
export interface ExecCluster {
  readonly server: string
  readonly "tls-server-name"?: string
  readonly "insecure-skip-tls-verify"?: boolean
  readonly "certificate-authority-data"?: string
  readonly "proxy-url"?: string
  readonly config?: unknown
}

export interface ClientTls {
  /** PEM. Absent: the machine's trusted roots. */
  readonly ca?: string
  /** The name that the server's certificate must be for, if not the host of the URL. */
  readonly serverName?: string
  readonly insecure?: boolean
  /** PEM of the client's certificate and its key. */
  readonly cert?: string
  readonly key?: string
}

/** All that is needed to speak to one API server as one user: what a kubeconfig's context comes down to. */
export interface ClientConfig {
  /** `https://host:port`, possibly with a path before the API's own. */
  readonly server: string
  readonly tls: ClientTls
  readonly auth: Auth
  readonly impersonate?: Impersonation
  /** Absent: none. */
  readonly proxyUrl?: string
  readonly disableCompression?: boolean
  /** The namespace that commands without one mean. */
  readonly namespace: string
}
