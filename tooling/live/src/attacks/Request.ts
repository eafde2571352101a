/**
 * The user who attacks. `admin`: member of system:masters. `operator`, and `guard`, whom nothing must keep out: cluster-admin by RBAC. `tenant`: admin of the namespace default.
 * `stranger`: authenticated, without any right. `node-N`: the kubelet of a node. `anonymous`: no credentials.
 */
export type Who = "admin" | "operator" | "guard" | "tenant" | "stranger" | `node-${number}` | "anonymous"

export interface Request {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** The timeout of the response in milliseconds. */
  readonly timeoutMs?: number
}

export interface Answer {
  /** The status code, or 0 if there was no response; `body` is then the error. */
  readonly code: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
  readonly tookMs: number
}
