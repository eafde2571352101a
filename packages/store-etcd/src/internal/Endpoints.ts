import type { MessageInitShape } from "@bufbuild/protobuf"
import { type Client, createClient } from "@connectrpc/connect"
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import {
  type CompactionRequestSchema,
  KV,
  Lease,
  type LeaseGrantRequestSchema,
  type RangeRequestSchema,
  type TxnRequestSchema,
  Watch
} from "../generated/etcd_pb.ts"
import { type Failure, failureOf, late, unsent } from "./errors.ts"
import { type UnaryOptions, unary } from "./unary.ts"

/** Keys and certificates as PEM texts. */
export interface EtcdTls {
  /** The certificates of the authorities that etcd's certificate must be of; by default those of Node. */
  readonly ca?: string
  /** The client's certificate. */
  readonly cert?: string
  readonly key?: string
}

/** One member of etcd. */
export interface Endpoint {
  readonly url: string
  readonly session: Http2SessionManager
  readonly calls: ReturnType<typeof callsOf>
  readonly watch: Client<typeof Watch>
}

/* The keepalive and the connect timeout of kube-apiserver's client: storagebackend/factory/etcd3.go. */
const PING_INTERVAL_MS = 30_000
const PING_TIMEOUT_MS = 10_000
const CONNECT_TIMEOUT_MS = 5_000
/** How long one member may take for an answer before another is asked. */
const ATTEMPT_TIMEOUT_MS = 5_000
/** What Node's HTTP/2 may keep for a connection, in megabytes: its default of 10 fails under many concurrent calls. */
const SESSION_MEMORY_MB = 256
const WINDOW_BYTES = 4 * 1024 * 1024
const FIRST_PAUSE_MS = 50
const MAX_PAUSE_MS = 1000

const callsOf = (session: Http2SessionManager) => ({
  range: (request: MessageInitShape<typeof RangeRequestSchema>, options: UnaryOptions) =>
    unary(session, KV.method.range, request, options),
  txn: (request: MessageInitShape<typeof TxnRequestSchema>, options: UnaryOptions) =>
    unary(session, KV.method.txn, request, options),
  compact: (request: MessageInitShape<typeof CompactionRequestSchema>, options: UnaryOptions) =>
    unary(session, KV.method.compact, request, options),
  leaseGrant: (request: MessageInitShape<typeof LeaseGrantRequestSchema>, options: UnaryOptions) =>
    unary(session, Lease.method.leaseGrant, request, options)
})

const openEndpoint = (url: string, { ca, cert, key }: EtcdTls): Endpoint => {
  const session = new Http2SessionManager(
    url,
    { pingIntervalMs: PING_INTERVAL_MS, pingTimeoutMs: PING_TIMEOUT_MS, connectTimeoutMs: CONNECT_TIMEOUT_MS },
    {
      maxSessionMemory: SESSION_MEMORY_MB,
      settings: { initialWindowSize: WINDOW_BYTES },
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key })
    }
  )
  const transport = createGrpcTransport({ baseUrl: url, sessionManager: session, acceptCompression: [] })
  return { url, session, calls: callsOf(session), watch: createClient(Watch, transport) }
}

/** Connects to a member, unless there is a connection. */
export const connected = ({ session }: Endpoint): Effect.Effect<void, Failure> =>
  Effect.suspend(() => {
    const state = session.state()
    if (state === "open" || state === "idle") return Effect.void
    return Effect.flatMap(
      Effect.promise(() => session.connect()),
      (reached) => (reached === "error" ? Effect.fail(unsent(session.error())) : Effect.void)
    )
  })

/** A call of etcd. */
export interface Call<A> {
  readonly timeoutMs: number
  /** Whether it may be sent again when it is not known whether it was carried out. */
  readonly isRepeatable: boolean
  /** `earlier` is whether an earlier attempt may have been carried out. */
  readonly send: (calls: Endpoint["calls"], options: UnaryOptions, earlier: boolean) => Promise<A>
}

/** The members of etcd. All calls use one until it fails; then the next. */
export class Endpoints {
  readonly urls: ReadonlyArray<string>
  private readonly members: ReadonlyArray<Endpoint>
  private at = 0

  constructor(urls: ReadonlyArray<string>, tls: EtcdTls) {
    this.urls = urls
    this.members = urls.map((url) => openEndpoint(url, tls))
  }

  get current(): Endpoint {
    return this.members[this.at] as Endpoint
  }

  /** Uses the next member, unless another call has done so already. */
  leave(endpoint: Endpoint): void {
    if (endpoint === this.current) this.at = (this.at + 1) % this.members.length
  }

  close(): void {
    for (const { session } of this.members) session.abort()
  }

  /** Returns how long to wait before this attempt: each member is tried at once, then all again after a pause. */
  pauseMs(attempt: number): number {
    const round = Math.floor(attempt / this.members.length)
    return round === 0 ? 0 : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (round - 1))
  }

  /** Sends a call, to one member after the other until its deadline. Fails with the last failure. */
  ask<A>(call: Call<A>): Effect.Effect<A, Failure> {
    return Effect.gen({ self: this }, function* () {
      const deadline = (yield* Clock.currentTimeMillis) + call.timeoutMs
      let earlier = false
      for (let attempt = 0; ; ) {
        const endpoint = this.current
        const leftMs = deadline - (yield* Clock.currentTimeMillis)
        const timeoutMs = Math.max(1, Math.min(ATTEMPT_TIMEOUT_MS, leftMs))
        const result: Result.Result<A, Failure> = yield* Effect.result(attemptOnce(endpoint, call, timeoutMs, earlier))
        if (Result.isSuccess(result)) return result.success
        const failure: Failure = result.failure
        if (failure.type === "refused" || failure.type === "compacted") return yield* Effect.fail(failure)
        this.leave(endpoint)
        earlier ||= failure.type === "unknown"
        const last: Failure = earlier ? { ...failure, type: "unknown" } : failure
        if (earlier && !call.isRepeatable) return yield* Effect.fail(last)
        const pauseMs = this.pauseMs(++attempt)
        if ((yield* Clock.currentTimeMillis) + pauseMs >= deadline) return yield* Effect.fail(last)
        if (pauseMs > 0) yield* Effect.sleep(pauseMs)
      }
    })
  }
}

const attemptOnce = <A>(
  endpoint: Endpoint,
  { send }: Call<A>,
  timeoutMs: number,
  earlier: boolean
): Effect.Effect<A, Failure> => {
  const sent = Effect.tryPromise({
    try: (signal) => send(endpoint.calls, { signal, timeoutMs }, earlier),
    catch: failureOf
  })
  const isLate = { duration: timeoutMs, orElse: () => Effect.fail(late(endpoint.url, timeoutMs)) }
  return Effect.andThen(connected(endpoint), Effect.timeoutOrElse(sent, isLate))
}
