import { type ClusterError, ConnectionError, type WatchEvent, type WatchSink } from "@rollcall/cluster"
import { Timer, type TimersShape } from "@rollcall/time"

/** HTTP/2 health check of client-go: 30 s without a frame, then 15 s for the ping. A silent watch ends after both. */
const WATCH_TIMEOUT_MS = 45_000

const connectionLost = new ConnectionError({ message: "http2: client connection lost" })

const nothing: () => void = () => {}

/** The state of a link that its watches need. */
export interface LinkState {
  readonly timers: TimersShape
  readonly watches: Set<LinkWatch>
  cut: boolean
  latencyMs: number
}

/**
 * One watch over a link, which is also the timer that breaks it: one object, because each kubelet has two watches and
 * reopens them every few minutes.
 */
export class LinkWatch extends Timer {
  private readonly link: LinkState
  private readonly sink: WatchSink
  /** Ends the watch on the server. */
  stop = nothing
  private over = false
  private held: Array<WatchEvent> | undefined
  /** Number of batches in flight, and when the last of them arrives: later ones must not overtake it. */
  private underWay = 0
  private lastArrivesAt = 0

  constructor(link: LinkState, sink: WatchSink) {
    super()
    this.link = link
    this.sink = sink
  }

  events(batch: ReadonlyArray<WatchEvent>): void {
    const { latencyMs } = this.link
    if (latencyMs === 0 && this.underWay === 0) {
      this.deliver(batch)
      return
    }
    const { timers } = this.link
    this.underWay++
    this.lastArrivesAt = Math.max(this.lastArrivesAt, timers.now() + latencyMs / 2)
    timers.at(this.lastArrivesAt, () => {
      this.underWay--
      this.deliver(batch)
    })
  }

  end(error: ClusterError | undefined): void {
    if (this.over) return
    this.over = true
    this.link.watches.delete(this)
    this.sink.end(error)
  }

  /** The link was cut: breaks the watch after the timeout, unless the link recovers before. */
  breakOff(): void {
    const { timers } = this.link
    if (!this.over && !this.isPlanned) timers.plan(this, timers.now() + WATCH_TIMEOUT_MS)
  }

  fire(): void {
    if (this.over) return
    this.close()
    this.sink.end(connectionLost)
  }

  /** The link has recovered. */
  flush(): void {
    this.link.timers.cancel(this)
    const { held } = this
    if (this.over || held === undefined) return
    this.held = undefined
    this.sink.events(held)
  }

  close(): void {
    this.over = true
    this.held = undefined
    this.link.watches.delete(this)
    this.link.timers.cancel(this)
    this.stop()
  }

  private deliver(batch: ReadonlyArray<WatchEvent>): void {
    if (this.over) return
    if (this.held !== undefined) this.held.push(...batch)
    else if (this.link.cut) this.held = [...batch]
    else this.sink.events(batch)
  }
}
