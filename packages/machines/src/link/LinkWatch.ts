import {
  type BookmarkSink,
  type ClusterError,
  ConnectionError,
  type HeartbeatSink,
  type LateBookmark,
  type LateRenewals,
  nextWatchOrder,
  type WatchEvent,
  type WatchRenewal,
  type WatchSink
} from "@rollcall/cluster"
import { Timer, type TimersShape } from "@rollcall/time"

/**
 * The HTTP/2 health check of client-go: a watch ends after 30 s without a frame and 15 s without an answer to the ping.
 */
export const WATCH_TIMEOUT_MS = 45_000

const connectionLost = new ConnectionError({ message: "http2: client connection lost" })

const noop: () => void = () => {}

/** What a link tells of its cuts. */
export interface LinkEnd {
  /** Its place in the order in which the link's watches and streams were opened or renewed. */
  readonly order: number
  /** Whether it holds or delays events. */
  readonly isDisturbed: boolean
  /** Has late renewals and bookmarks told: `order` is then the present one. */
  readonly settle: () => void
  /** The link changes: late bookmarks are told before, and each further one is sent. */
  readonly tellBookmarks: () => void
  /** The link was cut. */
  readonly breakOff: () => void
  /** The link has recovered. */
  readonly flush: () => void
}

/** A request that waits until the link recovers. */
export interface WaitingExchange {
  /** Since when it waits, or would if it had been sent then. */
  readonly waitsSinceMs: number
  readonly transmit: () => void
}

/** The state of a link that its watches, streams and requests need. */
export interface LinkState {
  readonly timers: TimersShape
  readonly watches: Set<LinkEnd>
  /** Those of a cut link; undefined until there is one. */
  waiting: Set<WaitingExchange> | undefined
  cut: boolean
  latencyMs: number
}

/**
 * One watch over a link, which is also the timer that breaks it: one object, because each kubelet has two watches and
 * reopens them every few minutes.
 */
export class LinkWatch extends Timer implements LinkEnd {
  private readonly link: LinkState
  private readonly sink: WatchSink
  /** Opens the watch on the server, and returns what ends it there; undefined once it is opened. */
  private connect: ((renewal: WatchRenewal | undefined) => () => void) | undefined
  /** How a watch that has not reached the server went on last. */
  private renewal: WatchRenewal | undefined
  private stop = noop
  order = nextWatchOrder()
  private isOver = false
  /** The events that arrived while the link was cut. */
  private undelivered: Array<WatchEvent> | undefined
  private batchesInFlight = 0
  /** The bookmarks that the watch takes late, while the link is not disturbed. */
  private late: LateBookmark | undefined
  /** When the last batch in flight arrives; later ones must not overtake it. */
  private lastArrivesAt = 0

  constructor(link: LinkState, sink: WatchSink, connect: (renewal: WatchRenewal | undefined) => () => void) {
    super()
    this.link = link
    this.sink = sink
    this.connect = connect
  }

  /** Opens the watch on the server, unless it is. */
  open(): void {
    const { connect } = this
    this.connect = undefined
    if (connect !== undefined) this.stop = connect(this.renewal)
  }

  /** Delivers a batch from the server after the link's latency. */
  events(batch: ReadonlyArray<WatchEvent>): void {
    const { latencyMs } = this.link
    if (latencyMs === 0 && this.batchesInFlight === 0) {
      this.deliver(batch)
      return
    }
    const { timers } = this.link
    this.batchesInFlight++
    this.lastArrivesAt = Math.max(this.lastArrivesAt, timers.now() + latencyMs / 2)
    timers.at(this.lastArrivesAt, () => {
      this.batchesInFlight--
      this.deliver(batch)
    })
  }

  /** Whether the link holds or delays events. */
  get isDisturbed(): boolean {
    const { cut, latencyMs } = this.link
    return cut || latencyMs > 0 || this.batchesInFlight > 0 || this.undelivered !== undefined || this.isPlanned
  }

  /** Passes what is made of columns, which the link has carried before it was disturbed. */
  get heartbeats(): HeartbeatSink | undefined {
    const { heartbeats } = this.sink
    return (
      heartbeats && {
        ...heartbeats,
        made: (event) => {
          if (!this.isOver) heartbeats.made(event)
        }
      }
    )
  }

  /** Lets bookmarks be late while the link is not disturbed; undefined if the client takes none late. */
  get bookmarks(): BookmarkSink | undefined {
    const { bookmarks } = this.sink
    return (
      bookmarks && {
        told: bookmarks.told,
        attached: (late) => {
          if (this.isOver || this.isDisturbed || !bookmarks.attached(late)) return false
          this.late = late
          return true
        }
      }
    )
  }

  /** Lets the watch go on without a call of `renew`: its bookmarks are late only while the link would not refuse. */
  get renewals(): LateRenewals | undefined {
    const { renewals } = this.sink
    return (
      renewals && {
        ...renewals,
        renewed: (renewal) => {
          this.order = renewal.order
          renewals.renewed(renewal)
        }
      }
    )
  }

  settle(): void {
    this.late?.settle()
  }

  /** Has the late bookmarks told, and each further one sent. */
  tellBookmarks(): void {
    this.late?.wake()
    this.late = undefined
  }

  /** Renews the watch, unless the link holds or delays events: these get lost when a watch ends. */
  renew(): WatchRenewal | undefined {
    if (this.isOver || this.isDisturbed) return undefined
    const renewal = this.sink.renew?.()
    if (renewal !== undefined) this.order = nextWatchOrder()
    return renewal
  }

  /** Handles the end of the watch by the server. */
  end(error: ClusterError | undefined): void {
    if (this.isOver) return
    this.isOver = true
    this.link.watches.delete(this)
    this.sink.end(error)
  }

  /** Handles a cut of the link: the watch breaks after the timeout, unless the link recovers before. */
  breakOff(): void {
    const { timers } = this.link
    if (!this.isOver && !this.isPlanned) timers.plan(this, timers.now() + WATCH_TIMEOUT_MS)
  }

  /** Breaks the watch after the timeout. One that has not reached the server may go on in place of the next one. */
  fire(): void {
    if (this.isOver) return
    const renewal = this.connect === undefined ? undefined : this.sink.reopen?.(connectionLost)
    if (renewal === undefined) {
      this.close()
      this.sink.end(connectionLost)
      return
    }
    this.renewal = renewal
    this.order = nextWatchOrder()
    this.breakOff()
  }

  /** Handles the recovery of the link: delivers the events of the meantime, or opens the watch. */
  flush(): void {
    this.link.timers.cancel(this)
    if (this.isOver) return
    this.open()
    const { undelivered } = this
    if (undelivered === undefined) return
    this.undelivered = undefined
    this.sink.events(undelivered)
  }

  /** Ends the watch on both sides, without a call of the sink. */
  close(): void {
    this.isOver = true
    this.undelivered = undefined
    this.link.watches.delete(this)
    this.link.timers.cancel(this)
    this.stop()
  }

  private deliver(batch: ReadonlyArray<WatchEvent>): void {
    if (this.isOver) return
    if (this.undelivered !== undefined) this.undelivered.push(...batch)
    else if (this.link.cut) this.undelivered = [...batch]
    else this.sink.events(batch)
  }
}
