import { nextWatchOrder } from "@rollcall/cluster"
import type { Timer } from "@rollcall/time"
import { type LinkEnd, type LinkState, WATCH_TIMEOUT_MS } from "./LinkWatch.ts"

/** What is carried over a connection that stays open, in both directions and in order. */
export interface CarriedStream {
  /** Has `deliver` called when it has arrived: at once, or later while the link is disturbed. */
  readonly carry: (deliver: () => void) => void
  /** Ends the stream: nothing more arrives, and it cannot break. */
  readonly close: () => void
}

/** One stream over a link: what either side sends waits while the link is cut, and breaks as a watch does. */
class LinkStream implements LinkEnd, CarriedStream {
  readonly order = nextWatchOrder()
  readonly isDisturbed = false
  private readonly link: LinkState
  private readonly broken: () => void
  private isOver = false
  /** What was sent while the link was cut. */
  private held: Array<() => void> = []
  private lastArrivesAt = 0
  private inFlight = 0
  private breaking: Timer | undefined

  constructor(link: LinkState, broken: () => void) {
    this.link = link
    this.broken = broken
  }

  carry(deliver: () => void): void {
    const { latencyMs, timers } = this.link
    if (latencyMs === 0 && this.inFlight === 0) {
      this.arrive(deliver)
      return
    }
    this.inFlight++
    this.lastArrivesAt = Math.max(this.lastArrivesAt, timers.now() + latencyMs / 2)
    timers.at(this.lastArrivesAt, () => {
      this.inFlight--
      this.arrive(deliver)
    })
  }

  settle(): void {}

  tellBookmarks(): void {}

  breakOff(): void {
    this.breaking ??= this.link.timers.after(WATCH_TIMEOUT_MS, () => {
      this.close()
      this.broken()
    })
  }

  flush(): void {
    if (this.breaking !== undefined) this.link.timers.cancel(this.breaking)
    this.breaking = undefined
    for (const deliver of this.held.splice(0)) this.arrive(deliver)
  }

  close(): void {
    this.isOver = true
    this.held = []
    this.link.watches.delete(this)
    if (this.breaking !== undefined) this.link.timers.cancel(this.breaking)
  }

  private arrive(deliver: () => void): void {
    if (this.isOver) return
    if (this.link.cut || this.held.length > 0) this.held.push(deliver)
    else deliver()
  }
}

/**
 * Carries a connection that stays open after an exchange over a link, as that of `kubectl logs --follow` does. `broken`
 * is called when the link has been cut for as long as HTTP/2's health check takes.
 */
export const openStream = ({ state }: { readonly state: LinkState }, broken: () => void): CarriedStream => {
  const stream = new LinkStream(state, broken)
  state.watches.add(stream)
  if (state.cut) stream.breakOff()
  return stream
}
