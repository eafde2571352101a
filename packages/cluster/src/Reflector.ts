import type { KindName, KubeObject } from "@rollcall/api"
import type { Timer, TimersShape } from "@rollcall/time"
import * as Result from "effect/Result"
import type { Chance } from "./Chance.ts"
import { ApiError, type ClusterError, isGone } from "./ClusterError.ts"
import type { Connection, WatchEvent } from "./Connection.ts"
import { Backoff, reflectorBackoff } from "./internal/Backoff.ts"

/** What part of the cluster to follow. */
export interface Selection {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

/** Where a reflector puts what it sees. */
export interface ReflectorTarget {
  /** The whole state, after a list. */
  readonly replace: (objects: ReadonlyArray<KubeObject>) => void
  /** One change of it. */
  readonly apply: (event: WatchEvent) => void
  readonly failed: (error: ClusterError) => void
}

/** A watch that ends sooner than this without an event counts as one that failed. */
const SHORT_WATCH_MS = 1000

const isTooManyRequests = (error: ClusterError): boolean => error._tag === "ApiError" && error.code === 429

/**
 * Lists, then watches from the list's revision, for as long as it runs. A watch that the server closed or that broke is
 * resumed from the last revision seen; when that history is gone, or the API refuses, it lists anew. Failures are
 * repeated after 0.8 s doubling to 30 s, times 1 to 2. Upstream: client-go/tools/cache/reflector.go.
 */
export class Reflector {
  private readonly connection: Connection
  private readonly timers: TimersShape
  private readonly kind: KindName
  private readonly selection: Selection
  private readonly target: ReflectorTarget
  private readonly backoff: Backoff
  private revision = ""
  /** Raised with each list or watch and on stop: answers to earlier ones are not listened to. */
  private turn = 0
  private running = false
  private cancelWatch: (() => void) | undefined
  private timer: Timer | undefined

  constructor(
    connection: Connection,
    timers: TimersShape,
    kind: KindName,
    selection: Selection,
    target: ReflectorTarget,
    chance: Chance
  ) {
    this.connection = connection
    this.timers = timers
    this.kind = kind
    this.selection = selection
    this.target = target
    this.backoff = new Backoff(reflectorBackoff, chance)
  }

  /** The resourceVersion of the last list or event. */
  get lastRevision(): string {
    return this.revision
  }

  start(): void {
    if (this.running) return
    this.running = true
    // The first list takes any cached state; lists after a loss ask for the present one.
    this.list("0")
  }

  stop(): void {
    this.running = false
    this.turn++
    this.cancelWatch?.()
    this.cancelWatch = undefined
    if (this.timer !== undefined) this.timers.cancel(this.timer)
    this.timer = undefined
  }

  private list(resourceVersion: string | undefined): void {
    const turn = ++this.turn
    const request = { ...this.selection, verb: "list", kind: this.kind } as const
    this.connection.send(resourceVersion === undefined ? request : { ...request, resourceVersion }, (answer) => {
      if (turn !== this.turn) return
      if (Result.isFailure(answer)) {
        this.target.failed(answer.failure)
        this.later(() => this.list(undefined))
        return
      }
      const list = answer.success as {
        readonly metadata: { readonly resourceVersion?: string }
        readonly items: ReadonlyArray<KubeObject>
      }
      this.revision = list.metadata.resourceVersion ?? ""
      this.target.replace(list.items)
      if (turn === this.turn) this.watch()
    })
  }

  private watch(): void {
    const turn = ++this.turn
    const startedAt = this.timers.now()
    let seen = false
    this.cancelWatch = this.connection.watch(
      {
        ...this.selection,
        verb: "watch",
        kind: this.kind,
        resourceVersion: this.revision,
        allowWatchBookmarks: true
      },
      {
        events: (batch) => {
          seen = true
          for (const event of batch) {
            if (turn !== this.turn) return
            this.receive(event)
          }
        },
        end: (error) => {
          if (turn !== this.turn) return
          this.cancelWatch = undefined
          this.ended(error, seen || this.timers.now() - startedAt >= SHORT_WATCH_MS)
        }
      }
    )
  }

  private receive(event: WatchEvent): void {
    if (event.type === "ERROR") {
      this.cancelWatch?.()
      this.cancelWatch = undefined
      this.ended(new ApiError({ status: event.object }), true)
      return
    }
    this.revision = event.object.metadata.resourceVersion ?? this.revision
    if (event.type !== "BOOKMARK") this.target.apply(event)
  }

  private ended(error: ClusterError | undefined, wasGood: boolean): void {
    this.turn++
    if (error !== undefined) this.target.failed(error)
    if (error === undefined || error._tag === "ConnectionError") {
      if (wasGood) this.watch()
      else this.later(() => this.watch())
    } else if (isGone(error)) this.list(undefined)
    else if (isTooManyRequests(error)) this.later(() => this.watch())
    else this.later(() => this.list(undefined))
  }

  private later(again: () => void): void {
    this.timer = this.timers.after(this.backoff.nextMs(this.timers.now()), () => {
      this.timer = undefined
      again()
    })
  }
}
