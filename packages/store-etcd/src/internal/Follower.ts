import { create, type MessageInitShape } from "@bufbuild/protobuf"
import { type Revision, StoreCompacted, type StoreSink } from "@rollcall/store"
import { guarded, type TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { type WatchRequest, WatchRequestSchema, type WatchResponse } from "../generated/etcd_pb.ts"
import { connected, type Endpoint, type Endpoints } from "./Endpoints.ts"
import { changesOf, revisionOf } from "./entries.ts"
import { type Failure, failureOf } from "./errors.ts"
import type { KeyRange, KeySpace } from "./keys.ts"

/** How often to ask for progress while it is awaited. Upstream: storage/cacher/progress, progressRequestPeriod. */
const PROGRESS_MS = 100

export interface FollowerParts {
  readonly endpoints: Endpoints
  readonly space: KeySpace
  readonly timers: TimersShape
  /** Tells of a revision that etcd has reached. */
  readonly sawRevision: (revision: Revision) => void
  /** Tells that the history before this revision is gone. */
  readonly sawCompaction: (oldest: Revision) => void
}

/** Either side of a watch ended it. */
const ENDED = { type: "ended" } as const

/**
 * The answers of one stream, which is then opened anew: the library keeps each answer of a stream, some kilobytes, until the stream
 * ends, because it races each with the same promise.
 */
export const MAX_ANSWERS = 2_000
const RENEWED = { type: "renewed" } as const
type End = Failure | typeof ENDED | typeof RENEWED

/**
 * One watch. It goes on at another member when its own fails, after the last revision that it delivered, until it is
 * cancelled or its history is compacted.
 */
export class Follower {
  /** All changes up to this revision are delivered. */
  delivered: Revision
  private readonly parts: FollowerParts
  private readonly range: KeyRange
  private readonly sink: StoreSink
  private requests: Queue.Queue<WatchRequest> | undefined
  private isActive = true
  private awaited: Revision = 0
  private isAsking = false

  constructor(parts: FollowerParts, range: KeyRange, from: Revision, sink: StoreSink) {
    this.parts = parts
    this.range = range
    this.delivered = from
    this.sink = sink
  }

  cancel(): void {
    this.isActive = false
  }

  /**
   * Awaits a revision, whose change may be of other keys and no event of this watch. Returns an effect that asks etcd how
   * far the watch is until it has reached the revision; undefined if that is not needed, or runs already.
   */
  awaiting(revision: Revision): Effect.Effect<void> | undefined {
    this.awaited = Math.max(this.awaited, revision)
    if (this.isAsking || this.delivered >= this.awaited) return undefined
    this.isAsking = true
    return Effect.sleep(PROGRESS_MS).pipe(
      Effect.andThen(Effect.sync(() => this.askProgress())),
      Effect.repeat({ while: () => this.isActive && this.delivered < this.awaited }),
      Effect.ensuring(
        Effect.sync(() => {
          this.isAsking = false
        })
      )
    )
  }

  /** Asks once. etcd answers if the watch has delivered everything. */
  private askProgress(): void {
    if (this.requests === undefined || this.delivered >= this.awaited) return
    Queue.offerUnsafe(this.requests, request({ case: "progressRequest", value: {} }))
  }

  readonly run: Effect.Effect<void> = Effect.suspend(() => this.followForever())

  private readonly followForever = Effect.fnUntraced({ self: this }, function* (this: Follower) {
    const { endpoints } = this.parts
    let failures = 0
    while (this.isActive) {
      const endpoint = endpoints.current
      const before = this.delivered
      const end = yield* Effect.flip(this.followOnce(endpoint))
      if (!this.isActive) return
      if (end.type === "renewed") continue
      endpoints.leave(endpoint)
      failures = this.delivered > before ? 0 : failures + 1
      yield* Effect.sleep(endpoints.pauseMs(failures))
    }
  })

  /** Reads one stream of a member to its end, which is a failure. */
  private readonly followOnce = (endpoint: Endpoint): Effect.Effect<never, End> =>
    Effect.scoped(Effect.andThen(connected(endpoint), this.readStream(endpoint)))

  private readonly readStream = Effect.fnUntraced({ self: this }, function* (this: Follower, { watch }: Endpoint) {
    const { signal } = yield* Effect.acquireRelease(
      Effect.sync(() => new AbortController()),
      (controller) => Effect.sync(() => controller.abort())
    )
    const requests = yield* Queue.unbounded<WatchRequest>()
    this.requests = requests
    const { end: rangeEnd, key } = this.range
    const startRevision = BigInt(this.delivered + 1)
    const value = { key, rangeEnd, startRevision, prevKv: true, progressNotify: true }
    Queue.offerUnsafe(requests, request({ case: "createRequest", value }))
    // A member without a leader ends the stream instead of saying nothing, as clientv3.WithRequireLeader asks.
    const headers = { hasleader: "true" }
    const answers = watch.watch(Stream.toAsyncIterable(Stream.fromQueue(requests)), { signal, headers })
    let left = MAX_ANSWERS
    const take = (answer: WatchResponse): Effect.Effect<void, End> => {
      if (!this.isActive) return Effect.fail(ENDED)
      left--
      return left > 0 ? this.receive(answer) : Effect.andThen(this.receive(answer), Effect.fail(RENEWED))
    }
    yield* Stream.runForEach(Stream.fromAsyncIterable(answers, failureOf), (answer) =>
      Effect.suspend(() => take(answer))
    )
    return yield* Effect.fail<Failure>({ type: "unknown", message: "the watch ended" })
  })

  private receive(answer: WatchResponse): Effect.Effect<void, Failure | typeof ENDED> {
    const { sawCompaction, sawRevision, space } = this.parts
    const revision = Number(answer.header?.revision ?? 0n)
    if (answer.canceled) {
      if (answer.compactRevision === 0n) return Effect.fail({ type: "unknown", message: answer.cancelReason })
      const oldest = Number(answer.compactRevision) + 1
      sawCompaction(oldest)
      return this.end(oldest)
    }
    if (answer.created) {
      sawRevision(revision)
      this.askProgress()
    } else if (answer.events.length === 0) this.progress(revision)
    else {
      const { changes, lost } = changesOf(space, answer.events)
      const isWhole = this.deliver(changes.filter((change) => revisionOf(change) > this.delivered))
      if (lost !== undefined) return this.end(lost + 1)
      if (!isWhole) return this.end(this.delivered + 1)
    }
    return Effect.void
  }

  private progress(revision: Revision): void {
    if (revision <= this.delivered) return
    this.delivered = revision
    guarded(this.parts.timers, "store watch", () => this.sink.progress?.(revision))
  }

  /** Returns false if the sink threw: it may have missed changes. */
  private deliver(changes: Parameters<StoreSink["changes"]>[0]): boolean {
    const last = changes[changes.length - 1]
    if (last === undefined) return true
    this.delivered = revisionOf(last)
    return guarded(this.parts.timers, "store watch", () => this.sink.changes(changes))
  }

  /** Ends the watch: its reader must list again. */
  end(oldest: Revision): Effect.Effect<never, typeof ENDED> {
    if (this.isActive) {
      this.isActive = false
      const error = new StoreCompacted({ requested: this.delivered, oldest })
      guarded(this.parts.timers, "store watch", () => this.sink.end(error))
    }
    return Effect.fail(ENDED)
  }
}

const request = (union: NonNullable<MessageInitShape<typeof WatchRequestSchema>["requestUnion"]>): WatchRequest =>
  create(WatchRequestSchema, { requestUnion: union })
