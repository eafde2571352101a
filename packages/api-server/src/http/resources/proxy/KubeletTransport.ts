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

/** The receiver of what a container writes. */
export interface KubeletStreamClient {
  /** Receives output; 1 is the standard output, 2 the standard error. */
  readonly write: (stream: 1 | 2, text: string) => void
  /** Whether much that was written is unread; the kubelet then waits. */
  readonly isFull: () => boolean
  /** Called once, with the exit status of a command, or why it did not run. */
  readonly end: (status?: number | { readonly error: string }) => void
}

/** What a client asked for of a command. */
export interface CommandChannels {
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
}

/** What goes on over a connection after the head of an answer: a log, or a command in a container. */
export interface KubeletStream {
  /** Those of a command. */
  readonly channels?: CommandChannels
  /** Begins; called once. Nothing is written after `close`, which says that the client is gone. */
  readonly open: (client: KubeletStreamClient) => {
    readonly write: (text: string) => void
    readonly end: () => void
    readonly close: () => void
  }
}

/** The ports of a pod, to which a client connects over one connection. */
export interface KubeletPorts {
  /** Returns a connection to a port. Each character of its texts is a byte. */
  readonly connect: (port: number) => KubeletStream
}

export interface KubeletAnswer {
  /** 200 to 599; 101 if the client now talks to a container over the stream, or connects to the ports. */
  readonly code: number
  readonly contentType: string
  readonly body: string | Uint8Array | KubeletStream | KubeletPorts
}

type Body = KubeletAnswer["body"]

export const isStream = (body: Body): body is KubeletStream => typeof body === "object" && "open" in body
export const isPorts = (body: Body): body is KubeletPorts => typeof body === "object" && "connect" in body

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
