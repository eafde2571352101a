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

type Body = string | Uint8Array | KubeletStream | KubeletPorts

export const isStream = (body: Body): body is KubeletStream => typeof body === "object" && "open" in body
export const isPorts = (body: Body): body is KubeletPorts => typeof body === "object" && "connect" in body
