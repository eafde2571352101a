import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import type { KubeletPorts, KubeletStream } from "@rollcall/streams"
import * as Context from "effect/Context"
import * as Result from "effect/Result"

/** The target of a request that is passed on: a kubelet, or another process on a node or in a pod. */
export interface KubeletAddress {
  readonly node: string
  /** The IP address or host name of the node or the pod. */
  readonly host: string
  readonly port: number
  /** Whether the port is that of the node's kubelet; another process may listen on any other one. */
  readonly isKubelet: boolean
  /** How another process is asked, which gets no certificate of this server; a kubelet is always asked over TLS. */
  readonly scheme: "http" | "https"
  /** Whether a name that stands for an address of this machine is refused. */
  readonly isForeignOnly?: boolean
}

export interface KubeletRequest {
  readonly method: string
  /** Absolute, decoded and without `.` and `..`. */
  readonly path: string
  /** The query parameters by name. */
  readonly query: ReadonlyMap<string, ReadonlyArray<string>>
  readonly body: Uint8Array
  /** The headers of the client for a process that is reached over HTTP, names and values alternating. */
  readonly headers?: ReadonlyArray<string>
  /** The host that the client has asked; by default the address. */
  readonly host?: string
  /** The protocols that the client asks for on its connection, if it asks for others. */
  readonly upgrade?: string
}

/** An answer of another process, which is passed on as it comes. Its receiver reads or destroys the message. */
export interface RelayedAnswer {
  readonly message: IncomingMessage
  /** The connection, and what has come on it, if the other side has agreed to another protocol: code 101. */
  readonly upgraded?: { readonly socket: Duplex; readonly head: Buffer }
}

export interface KubeletAnswer {
  /** 200 to 599; 101 if the client now talks to a container over the stream, or connects to the ports. */
  readonly code: number
  readonly contentType: string
  readonly body: string | Uint8Array | KubeletStream | KubeletPorts | RelayedAnswer
  /** Further headers, of an answer that is not relayed. */
  readonly headers?: Readonly<Record<string, string>>
}

export const isRelayed = (body: KubeletAnswer["body"]): body is RelayedAnswer =>
  typeof body === "object" && "message" in body

/**
 * Receives the answer of a kubelet, or the error of dialling an unreachable one: `dial tcp 10.1.2.3:10250: i/o
 * timeout`.
 */
export type KubeletReply = (answer: Result.Result<KubeletAnswer, string>) => void

/** Which address of a Node is its kubelet's. */
export interface KubeletAddressing {
  /** The types of addresses, the preferred one first. Upstream: `--kubelet-preferred-address-types`. */
  readonly types: ReadonlyArray<string>
  /** The port of kubelets that report none. Upstream: `--kubelet-port`. */
  readonly port: number
}

/** As kubeadm sets it, since the names of nodes may not be resolvable; the port is upstream's ports.KubeletPort. */
export const defaultAddressing: KubeletAddressing = { types: ["InternalIP", "ExternalIP", "Hostname"], port: 10_250 }

/**
 * The port between the API server and the kubelets of its nodes. A call returns at once; `reply` is called at most
 * once, within the call or later, and never after the returned function has been called, which cancels the request. The
 * caller has been authorized for `nodes/proxy`; each kubelet authorizes the API server itself.
 */
export interface KubeletTransportShape {
  readonly send: (address: KubeletAddress, request: KubeletRequest, reply: KubeletReply) => () => void
  /**
   * Whether it dials the processes of a node, whose answers are then relayed, and which decide themselves about other
   * protocols. Default: no node's.
   */
  readonly relays?: (node: string) => boolean
  /** Whether it is a way to the kubelet of a node; others are dialled. Default: it is one to all. */
  readonly reaches?: (node: string) => boolean
  /** Default: `defaultAddressing`. */
  readonly addressing?: KubeletAddressing
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
  },
  reaches: () => false
}

/** The error of a name that stands for an address of the server's own machine, where that is refused. */
export const ADDRESS_NOT_ALLOWED = "address not allowed"

/** The error of a server without a transport: not a network error, because no address is dialled. */
export const NO_TRANSPORT = "this API server reaches only kubelets of its own process"

/** The server's transport to kubelets. By default it reaches none. */
export const KubeletTransport = Context.Reference<KubeletTransportShape>("@rollcall/api-server/KubeletTransport", {
  defaultValue: () => noKubelets
})
