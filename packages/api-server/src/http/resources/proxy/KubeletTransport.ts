import type { KubeletPorts, KubeletStream } from "@rollcall/streams"
import * as Context from "effect/Context"
import * as Result from "effect/Result"

/** The target of a `nodes/proxy` request. */
export interface KubeletAddress {
  readonly node: string
  /** The IP address or host name of the node. */
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
  /** 200 to 599; 101 if the client now talks to a container over the stream, or connects to the ports. */
  readonly code: number
  readonly contentType: string
  readonly body: string | Uint8Array | KubeletStream | KubeletPorts
}

/**
 * Receives the answer of a kubelet, or the error of dialling an unreachable one: `dial tcp 10.1.2.3:10250: i/o
 * timeout`.
 */
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

/** Returns `10.1.2.3:10250` or `[fd00::1]:10250`. */
export const hostPort = ({ host, port }: Pick<KubeletAddress, "host" | "port">): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`

/** A transport that reaches no kubelet: every request fails. */
export const noKubelets: KubeletTransportShape = {
  send: (address, _request, reply) => {
    reply(Result.fail(`dial tcp ${hostPort(address)}: ${NO_TRANSPORT}`))
    return noop
  }
}

/** The error of a server without a transport: not a network error, because no address is dialled. */
export const NO_TRANSPORT = "this API server reaches only kubelets of its own process"

/** The server's transport to kubelets. By default it reaches none. */
export const KubeletTransport = Context.Reference<KubeletTransportShape>("@rollcall/api-server/KubeletTransport", {
  defaultValue: () => noKubelets
})
