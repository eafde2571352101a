import * as Context from "effect/Context"
import * as Result from "effect/Result"

/** Where a request of `nodes/proxy` goes. */
export interface KubeletAddress {
  readonly node: string
  /** The address that its Node shows, or a name. */
  readonly host: string
  readonly port: number
  /** The port is that of the node's kubelet; at another one something else may listen. */
  readonly isKubelet: boolean
}

export interface KubeletRequest {
  readonly method: string
  /** Absolute, decoded and without `.` and `..`. */
  readonly path: string
  /** What the query says, by name. */
  readonly query: ReadonlyMap<string, ReadonlyArray<string>>
  readonly body: Uint8Array
}

export interface KubeletAnswer {
  /** 200 to 599. */
  readonly code: number
  readonly contentType: string
  readonly body: string | Uint8Array
}

/** Fails with what a dialer says of an address that it cannot reach: `dial tcp 10.1.2.3:10250: i/o timeout`. */
export type KubeletReply = (answer: Result.Result<KubeletAnswer, string>) => void

/**
 * The port between the API server and the kubelets of its nodes. A call returns at once; `reply` is called at most once, within the call or
 * later, and never after what the call returned has been called, which gives the request up. The caller has been authorized for
 * `nodes/proxy`; what a kubelet lets the API server do is the kubelet's to say.
 */
export interface KubeletTransportShape {
  readonly send: (address: KubeletAddress, request: KubeletRequest, reply: KubeletReply) => () => void
}

const nothing = () => {}

/** `10.1.2.3:10250`, `[fd00::1]:10250`. */
export const hostPort = ({ host, port }: Pick<KubeletAddress, "host" | "port">): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`

/** Reaches no kubelet, and says so. */
export const noKubelets: KubeletTransportShape = {
  send: (address, _request, reply) => {
    reply(Result.fail(`dial tcp ${hostPort(address)}: ${UNREACHED}`))
    return nothing
  }
}

/** Nothing is dialled: it is no statement about the network. */
export const UNREACHED = "this API server reaches only kubelets of its own process"

/** How the API server reaches kubelets. Default: not at all. */
export const KubeletTransport = Context.Reference<KubeletTransportShape>("@rollcall/api-server/KubeletTransport", {
  defaultValue: () => noKubelets
})
