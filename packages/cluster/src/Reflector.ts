import type { KubeObject } from "@rollcall/api"
import { guarded, type Rng, type Timer, type TimersShape } from "@rollcall/time"
import { ApiError, type ClusterError, isGone, thrownBy } from "./ClusterError.ts"
import type { AnyKind, Connection, WatchEvent, WatchSink } from "./Connection.ts"
import { Backoff, reflectorBackoff } from "./internal/Backoff.ts"
import { isTooLargeRevision, listAll } from "./internal/listAll.ts"
import type { WatchStage } from "./WatchFailure.ts"

/** What part of the cluster to follow. */
export interface Selection {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

/** What a kind is told to: all of it, and then each change. What it throws is handed to `handleError`; the next change still comes. */
export interface Feed {
  /** The whole state, after a list. */
  readonly replace: (objects: ReadonlyArray<KubeObject>) => void
  /** One change of it. */
  readonly apply: (event: WatchEvent) => void
}

/** Where a reflector puts what it sees. */
export interface ReflectorTarget extends Feed {
  /** A list, or a watch that could not be opened or broke: the reflector goes on by itself. */
  readonly failed: (error: ClusterError, stage: WatchStage) => void
}

/** A watch that ends sooner than this without an event counts as one that failed. */
const SHORT_WATCH_MS = 1000

/** A watch asks to be closed after this to twice this: so that the watches of a cluster spread over its servers. */
const MIN_WATCH_SECONDS = 300

const isTooManyRequests = (error: ClusterError): boolean => error._tag === "ApiError" && error.code === 429

/**
 * Lists, then watches from the list's revision, for as long as it runs. A watch that the server closed or that broke is
 * resumed from the last revision seen, bookmarks' included; when that history is gone, or the API refuses, it lists anew, by
 * pages. Failures are repeated after 0.8 s doubling to 30 s, times 1 to 2. Upstream: client-go/tools/cache/reflector.go.
 */
export class Reflector {
  private readonly connection: Connection
  private readonly timers: TimersShape
  private readonly kind: AnyKind
  private readonly selection: Selection
  private readonly target: ReflectorTarget
  private readonly backoff: Backoff
  private readonly chance: Rng
  private revision = ""
  /** Nothing has come of the last list's revision yet. */
  private isNewlyListed = false
  /** Raised with each list or watch and on stop: answers to earlier ones are not listened to. */
  private turn = 0
  private running = false
  private cancelList: (() => void) | undefined
  private cancelWatch: (() => void) | undefined
  private timer: Timer | undefined

  constructor(
    connection: Connection,
    timers: TimersShape,
    kind: AnyKind,
    selection: Selection,
    target: ReflectorTarget,
    chance: Rng
  ) {
    this.connection = connection
    this.timers = timers
    this.kind = kind
    this.selection = selection
    this.target = target
    this.chance = chance
    this.backoff = new Backoff(reflectorBackoff, chance)
  }

  /** The resourceVersion of the last list or event. */
  get lastRevision(): string {
    return this.revision
  }

  start(): void {
    if (this.running) return
    this.running = true
    // The first list takes any cached state; lists after a loss ask for one that is not older than what was seen.
    this.list("0")
  }

  /** Lists anew, not older than what was seen; a watch that is open ends. */
  relist(): void {
    if (!this.running) return
    this.quiet()
    this.list(this.revision === "" ? "0" : this.revision)
  }

  stop(): void {
    this.running = false
    this.quiet()
  }

  /** Ends what is under way. */
  private quiet(): void {
    this.turn++
    this.cancelList?.()
    this.cancelList = undefined
    this.cancelWatch?.()
    this.cancelWatch = undefined
    if (this.timer !== undefined) this.timers.cancel(this.timer)
    this.timer = undefined
  }

  private list(resourceVersion: string | undefined): void {
    const turn = ++this.turn
    const cancel = listAll(this.connection, { ...this.selection, verb: "list", kind: this.kind }, resourceVersion, {
      isWanted: () => turn === this.turn,
      failed: (error) => {
        this.tellFailed(error, "list")
        // What was seen last is gone, or not yet known to this server: take what it has now.
        const again = isGone(error) || isTooLargeRevision(error) ? undefined : resourceVersion
        if (resourceVersion !== undefined && again === undefined) this.list(undefined)
        else this.later(() => this.list(again))
      },
      done: (objects, revision) => {
        this.revision = revision
        this.isNewlyListed = true
        guarded(this.timers, "reflector", () => this.target.replace(objects), { kind: this.kind })
        if (turn === this.turn) this.watch()
      }
    })
    if (turn === this.turn) this.cancelList = cancel
  }

  private watch(): void {
    const turn = ++this.turn
    const startedAt = this.timers.now()
    let seen = false
    const sink: WatchSink = {
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
        const isLong = this.timers.now() - startedAt >= SHORT_WATCH_MS
        if (isLong) this.isNewlyListed = false
        this.ended(error, isLong || (seen && error === undefined), seen || isLong ? "stream" : "watch")
      }
    }
    try {
      this.cancelWatch = this.connection.watch(
        {
          ...this.selection,
          verb: "watch",
          kind: this.kind,
          resourceVersion: this.revision,
          allowWatchBookmarks: true,
          timeoutSeconds: Math.floor(MIN_WATCH_SECONDS * (1 + this.chance()))
        },
        sink
      )
    } catch (error) {
      sink.end(thrownBy("watch", error))
    }
  }

  private receive(event: WatchEvent): void {
    if (event.type === "ERROR") {
      this.cancelWatch?.()
      this.cancelWatch = undefined
      this.ended(new ApiError({ status: event.object }), true, "stream")
      return
    }
    try {
      this.revision = event.object.metadata.resourceVersion ?? this.revision
      this.isNewlyListed = false
      if (event.type !== "BOOKMARK") this.target.apply(event)
    } catch (error) {
      this.timers.handleError("reflector", error, { kind: this.kind })
    }
  }

  private tellFailed(error: ClusterError, stage: WatchStage): void {
    guarded(this.timers, "reflector", () => this.target.failed(error, stage), { kind: this.kind })
  }

  private ended(error: ClusterError | undefined, wasGood: boolean, stage: WatchStage): void {
    this.turn++
    if (error !== undefined) this.tellFailed(error, stage)
    if (error === undefined || error._tag === "ConnectionError") {
      if (wasGood) this.watch()
      else this.later(() => this.watch())
    } else if (isGone(error)) {
      // A server that forgets at once what it has just told is not asked again at once.
      if (this.isNewlyListed) this.later(() => this.list(undefined))
      else this.list(undefined)
    } else if (isTooManyRequests(error)) this.later(() => this.watch())
    else this.later(() => this.list(this.revision))
  }

  private later(again: () => void): void {
    this.timer = this.timers.after(this.backoff.nextMs(this.timers.now()), () => {
      this.timer = undefined
      again()
    })
  }
}
