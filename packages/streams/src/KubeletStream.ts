/** The receiver of a stream of a container: its log, or what a command writes. */
export interface StreamClient {
  /** Receives output; 1 is the standard output, 2 the standard error. */
  readonly write: (stream: 1 | 2, text: string) => void
  /** Whether much that was written is unread; the sender then waits. */
  readonly isFull: () => boolean
  /** Called once, with the exit status of a command, or why it did not run. */
  readonly end: (status?: number | { readonly error: string }) => void
}

/** What a client sends over a stream. */
export interface StreamInput {
  readonly write: (text: string) => void
  /** The client's input is over. */
  readonly end: () => void
  /** The client is gone: nothing is written any more. */
  readonly close: () => void
}

/** What a client asked for of a command. */
export interface CommandChannels {
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
}

/**
 * What goes on over a connection after the head of an answer: a log, or a command in a container. Nothing is written after
 * `close` of its input.
 */
export interface KubeletStream {
  /** Those of a command. */
  readonly channels?: CommandChannels
  /** Begins; called once. */
  readonly open: (client: StreamClient) => StreamInput
}

/** The ports of a pod, to which a client connects over one connection. */
export interface KubeletPorts {
  /** Returns a connection to a port. Each character of its texts is a byte. */
  readonly connect: (port: number) => KubeletStream
}
