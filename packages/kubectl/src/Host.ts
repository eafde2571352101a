import type { ClusterError, ConnectionError } from "@rollcall/cluster"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"

/** A request as it goes on the wire. What `@rollcall/kube-client` takes. */
export interface RawRequest {
  readonly method: string
  readonly path: string
  readonly query?: Readonly<Record<string, string | ReadonlyArray<string>>>
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** How long to wait for the whole answer; 0: without end. */
  readonly timeoutMs?: number
}

export interface RawAnswer {
  readonly code: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
}

/** The API server, as far as commands need it: `KubeClient` of `@rollcall/kube-client` has this shape. */
export interface Api {
  readonly raw: (request: RawRequest) => Effect.Effect<RawAnswer, ConnectionError>
  /** The lines of an answer that does not end by itself; absent where nothing can be watched. */
  readonly lines?: (request: RawRequest) => Stream.Stream<string, ClusterError>
}

/** Where a command runs: what it may touch of the machine. */
export interface Host {
  readonly api: Api
  /** The namespace that commands without one mean. */
  readonly namespace: string
  /** `https://127.0.0.1:6443`, for messages. */
  readonly server: string
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  /** The files of a path: itself, or what a folder holds; undefined when there is none. */
  readonly readFiles: (
    path: string,
    recursive: boolean
  ) => Effect.Effect<ReadonlyArray<SourceFile> | undefined, Unreadable>
  readonly stdin: Effect.Effect<string, Unreadable>
}

/** Why files, or standard input, cannot be read, with the name of what cannot. */
export interface Unreadable {
  readonly message: string
}

export interface SourceFile {
  readonly path: string
  readonly text: string
}
