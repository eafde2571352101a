import type { KubeObject } from "@rollcall/api"
import { guarded, type Rng, type Timer, type TimersShape } from "@rollcall/time"
import { ApiError, type ClusterError, connectionErrorFrom, isGone } from "./ClusterError.ts"
import type { AnyKind, Connection, HeartbeatSink, LateBookmark, WatchEvent, WatchSink } from "./Connection.ts"
import type { HeartbeatColumns } from "./heartbeats/HeartbeatColumns.ts"
import { Backoff, reflectorBackoff } from "./internal/Backoff.ts"
import { isTooLargeRevision, listAll } from "./internal/listAll.ts"
import type { WatchStage } from "./WatchFailure.ts"

/** The part of the cluster to list and watch. */
export interface Selection {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

/**
 * A consumer of one kind: the whole list first, then each change. An error that it throws is handed to `handleError`;
 * the next change is still delivered.
 */
export interface Feed {
  /** Replaces all objects by those of a list. */
  readonly replace: (objects: ReadonlyArray<KubeObject>) => void
  /** Applies one change. */
  readonly apply: (event: WatchEvent) => void
  /** Whether it can read heartbeats of Leases or Nodes from columns; absent if it needs every event. */
  readonly acceptsHeartbeats?: () => boolean
  /** Receives the columns, and undefined when their use ends. */
  readonly heartbeatsChanged?: (columns: HeartbeatColumns | undefined) => void
}

/** The consumer of a reflector. */
export interface ReflectorTarget extends Feed {
  /** Called when a list fails, or a watch cannot be opened or breaks: the reflector retries by itself. */
  readonly failed: (error: ClusterError, stage: WatchStage) => void
}

/** A watch that ends sooner than this without an event counts as failed. */
const SHORT_WATCH_MS = 1000

/** A watch has a timeout between this and twice this, so that the watches of a cluster spread over its servers. */
const MIN_WATCH_SECONDS = 300

const timeoutSecondsOf = (drawn: number): number => Math.floor(MIN_WATCH_SECONDS * (1 + drawn))

const isTooManyRequests = (error: ClusterError): boolean => error._tag === "ApiError" && error.code === 429

/**
 * Lists, then watches from the list's revision, until it is stopped. A watch that the server closed or that broke
 * resumes from the last revision seen, bookmarks included. When that history is compacted, or the API refuses the
 * watch, it lists again, in pages. Failures are retried after 0.8 s doubling to 30 s, times 1 to 2. Upstream:
 * client-go/tools/cache/reflector.go.
 */
export class Reflector {
  private readonly connection: Connection
  private readonly timers: TimersShape
  private readonly kind: AnyKind
  private readonly selection: Selection
  private readonly target: ReflectorTarget
  private readonly backoff: Backoff
  private readonly random: Rng
  private revision = ""
  /** True until the first event after the last list. */
  private isNewlyListed = false
  /** Counts lists, watches and stops: a response to an earlier generation is ignored. */
  private generation = 0
  private running = false
  private cancelList: (() => void) | undefined
  private cancelWatch: (() => void) | undefined
  /** The columns that have heartbeats which the watch gets no events of. */
  private columns: HeartbeatColumns | undefined
  /** The bookmarks of the open watch that were not told yet. */
  private late: LateBookmark | undefined
  private timer: Timer | undefined

  constructor(
    connection: Connection,
    timers: TimersShape,
    kind: AnyKind,
    selection: Selection,
    target: ReflectorTarget,
    random: Rng
  ) {
    this.connection = connection
    this.timers = timers
    this.kind = kind
    this.selection = selection
    this.target = target
    this.random = random
    this.backoff = new Backoff(reflectorBackoff, random)
  }

  /** The resourceVersion of the last list or event. */
  get lastRevision(): string {
    this.columns?.makeAll()
    this.late?.settle()
    return this.revision
  }

  start(): void {
    if (this.running) return
    this.running = true
    // The first list accepts any cached state; lists after a loss require one that is not older than the last seen.
    this.list("0")
  }

  /** Lists again, not older than the last seen revision; an open watch ends. */
  relist(): void {
    if (!this.running) return
    const { lastRevision } = this
    this.cancelAll()
    this.list(lastRevision === "" ? "0" : lastRevision)
  }

  stop(): void {
    this.running = false
    this.cancelAll()
  }

  /** Cancels the list, the watch and the timer. */
  private cancelAll(): void {
    this.late?.settle()
    this.late = undefined
    this.generation++
    this.cancelList?.()
    this.cancelList = undefined
    this.cancelWatch?.()
    this.cancelWatch = undefined
    if (this.timer !== undefined) this.timers.cancel(this.timer)
    this.timer = undefined
  }

  private list(resourceVersion: string | undefined): void {
    const generation = ++this.generation
    const cancel = listAll(this.connection, { ...this.selection, verb: "list", kind: this.kind }, resourceVersion, {
      isCurrent: () => generation === this.generation,
      failed: (error) => {
        this.reportFailed(error, "list")
        // The last seen revision is compacted, or not yet known to this server: list its latest state.
        const again = isGone(error) || isTooLargeRevision(error) ? undefined : resourceVersion
        if (resourceVersion !== undefined && again === undefined) this.list(undefined)
        else this.retryLater(() => this.list(again))
      },
      done: (objects, revision) => {
        this.revision = revision
        this.isNewlyListed = true
        guarded(this.timers, "reflector", () => this.target.replace(objects), { kind: this.kind })
        if (generation === this.generation) this.watch()
      }
    })
    if (generation === this.generation) this.cancelList = cancel
  }

  private watch(): void {
    const generation = ++this.generation
    let startedAt = this.timers.now()
    let hasEvents = false
    const { acceptsHeartbeats } = this.target
    const heartbeats: HeartbeatSink | undefined =
      (this.kind !== "Lease" && this.kind !== "Node") || acceptsHeartbeats === undefined
        ? undefined
        : {
            accepts: () => generation === this.generation && acceptsHeartbeats(),
            attached: (columns) => this.setColumns(columns),
            seen: (revision) => {
              if (generation === this.generation && revision > Number(this.revision)) this.revision = String(revision)
            },
            detached: () => this.setColumns(undefined),
            made: (event) => {
              hasEvents = true
              if (generation === this.generation) this.receiveMade(event)
            }
          }
    const sink: WatchSink = {
      ...(heartbeats === undefined ? {} : { heartbeats }),
      renew: () => {
        if (generation !== this.generation || this.timers.now() - startedAt < SHORT_WATCH_MS) return undefined
        this.isNewlyListed = false
        startedAt = this.timers.now()
        hasEvents = false
        return { resourceVersion: this.revision, timeoutSeconds: this.nextTimeoutSeconds() }
      },
      reopen: (error) => {
        const renewal = sink.renew?.()
        if (renewal !== undefined) this.reportFailed(error, "stream")
        return renewal
      },
      renewals: {
        random: this.random,
        timeoutSecondsOf,
        renewed: ({ atMs, revision }) => {
          if (generation !== this.generation) return
          this.revision = String(revision)
          this.isNewlyListed = false
          startedAt = atMs
          hasEvents = false
        }
      },
      bookmarks: {
        attached: (late) => {
          if (generation === this.generation) this.late = late
          return generation === this.generation
        },
        told: (revision) => {
          if (generation !== this.generation) return
          hasEvents = true
          this.revision = revision
          this.isNewlyListed = false
        }
      },
      events: (batch) => {
        hasEvents = true
        for (const event of batch) {
          if (generation !== this.generation) return
          this.receive(event)
        }
      },
      end: (error) => {
        if (generation !== this.generation) return
        this.cancelWatch = undefined
        this.late = undefined
        const isLong = this.timers.now() - startedAt >= SHORT_WATCH_MS
        if (isLong) this.isNewlyListed = false
        this.handleEnd(error, isLong || (hasEvents && error === undefined), hasEvents || isLong ? "stream" : "watch")
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
          timeoutSeconds: this.nextTimeoutSeconds()
        },
        sink
      )
    } catch (error) {
      sink.end(connectionErrorFrom("watch", error))
    }
  }

  private nextTimeoutSeconds(): number {
    return timeoutSecondsOf(this.random())
  }

  private receive(event: WatchEvent): void {
    if (event.type === "ERROR") {
      this.cancelWatch?.()
      this.cancelWatch = undefined
      this.handleEnd(new ApiError({ status: event.object }), true, "stream")
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

  private setColumns(columns: HeartbeatColumns | undefined): void {
    this.columns = columns
    this.target.heartbeatsChanged?.(columns)
  }

  /** Applies the event of an object that was made late: events of later revisions may have come before. */
  private receiveMade(event: WatchEvent): void {
    const { revision } = this
    this.receive(event)
    if (Number(revision) > Number(this.revision)) this.revision = revision
  }

  private reportFailed(error: ClusterError, stage: WatchStage): void {
    guarded(this.timers, "reflector", () => this.target.failed(error, stage), { kind: this.kind })
  }

  private handleEnd(error: ClusterError | undefined, wasGood: boolean, stage: WatchStage): void {
    this.generation++
    if (error !== undefined) this.reportFailed(error, stage)
    if (error === undefined || error._tag === "ConnectionError") {
      if (wasGood) this.watch()
      else this.retryLater(() => this.watch())
    } else if (isGone(error)) {
      // A server that compacts a revision as soon as it has listed it is not asked again at once.
      if (this.isNewlyListed) this.retryLater(() => this.list(undefined))
      else this.list(undefined)
    } else if (isTooManyRequests(error)) this.retryLater(() => this.watch())
    else this.retryLater(() => this.list(this.revision))
  }

  private retryLater(again: () => void): void {
    this.timer = this.timers.after(this.backoff.nextMs(this.timers.now()), () => {
      this.timer = undefined
      again()
    })
  }
}
