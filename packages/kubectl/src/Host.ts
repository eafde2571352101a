import type { ClusterError, ConnectionError } from "@rollcall/cluster"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"

/** An HTTP request, in the form that `@rollcall/kube-client` takes. */
export interface RawRequest {
  readonly method: string
  readonly path: string
  readonly query?: Readonly<Record<string, string | ReadonlyArray<string>>>
  /** Header names are in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The timeout of the whole response in milliseconds; 0 means no timeout. */
  readonly timeoutMs?: number
}

export interface RawAnswer {
  readonly code: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
}

/** The part of a client that commands need: `KubeClient` of `@rollcall/kube-client` has this shape. */
export interface Api {
  readonly raw: (request: RawRequest) => Effect.Effect<RawAnswer, ConnectionError>
  /** Returns the lines of a streamed response; absent if watching is not supported. */
  readonly lines?: (request: RawRequest) => Stream.Stream<string, ClusterError>
}

/** The environment of a command: its access to the machine. */
export interface Host {
  readonly api: Api
  /** The default namespace of commands. */
  readonly namespace: string
  /** The URL of the server for messages: `https://127.0.0.1:6443`. */
  readonly server: string
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  /** Returns the file at a path, or the files in a folder; undefined if there are none. */
  readonly readFiles: (
    path: string,
    recursive: boolean
  ) => Effect.Effect<ReadonlyArray<SourceFile> | undefined, Unreadable>
  readonly stdin: Effect.Effect<string, Unreadable>
}

/** The reason why a file or standard input cannot be read, with its name. */
export interface Unreadable {
  readonly message: string
}

export interface SourceFile {
  readonly path: string
  readonly text: string
}
