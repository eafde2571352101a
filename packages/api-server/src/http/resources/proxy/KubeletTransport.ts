import * as Context from "effect/Context"
import * as Result from "effect/Result"

/** The target of a `nodes/proxy` request. */
export interface KubeletAddress {
  readonly node: string
  /** The address in its Node, or a name. */
  readonly host: string
  readonly port: number
  /** Whether the port is that of the node's kubelet; another process may listen on any other one. */
  readonly isKubelet: boolean
}

export interface KubeletRequest {
  readonly method: string
  /** Absolute, decoded and without `.` and `..`. */
  readonly path: string
  /** The query parameters by name. */
  readonly query: ReadonlyMap<string, ReadonlyArray<string>>
  readonly body: Uint8Array
}

export interface KubeletAnswer {
  /** 200 to 599. */
  readonly code: number
  readonly contentType: string
  readonly body: string | Uint8Array
}

/** Fails with the error of dialling an unreachable address: `dial tcp 10.1.2.3:10250: i/o timeout`. */
export type KubeletReply = (answer: Result.Result<KubeletAnswer, string>) => void

/**
 * The port between the API server and the kubelets of its nodes. A call returns at once; `reply` is called at most
 * once, within the call or later, and never after the returned function has been called, which cancels the request. The
 * caller has been authorized for `nodes/proxy`; each kubelet authorizes the API server itself.
 */
export interface KubeletTransportShape {
  readonly send: (address: KubeletAddress, request: KubeletRequest, reply: KubeletReply) => () => void
}

const noop = () => {}

/** `10.1.2.3:10250`, `[fd00::1]:10250`. */
export const hostPort = ({ host, port }: Pick<KubeletAddress, "host" | "port">): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`

/** Reaches no kubelet: every request fails. */
export const noKubelets: KubeletTransportShape = {
  send: (address, _request, reply) => {
    reply(Result.fail(`dial tcp ${hostPort(address)}: ${UNREACHED}`))
    return noop
  }
}

/** Not a network error: noop is dialled. */
export const UNREACHED = "this API server reaches only kubelets of its own process"

/** The connection to kubelets. Default: none. */
export const KubeletTransport = Context.Reference<KubeletTransportShape>("@rollcall/api-server/KubeletTransport", {
  defaultValue: () => noKubelets
})
