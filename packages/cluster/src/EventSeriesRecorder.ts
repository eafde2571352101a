import { type Event, formatMicroTime, type KubeObject } from "@rollcall/api"
import { guarded, type Timer, type TimersShape } from "@rollcall/time"
import type { Connection } from "./Connection.ts"
import { referenceTo } from "./EventRecorder.ts"

/** The series of an event ends if the event is not repeated for this long. Upstream: finishTime, 6 minutes. */
const SERIES_END_MS = 360_000

/** Who records Events: a controller, and which of those that run. */
interface Reporter {
  readonly controller: string
  readonly instance: string
}

/** An Event that was written, and its repetitions since. */
interface Series {
  event: Event
  count: number
  /** When it was recorded last, in milliseconds since the Unix epoch. */
  lastMs: number
}

/**
 * Records Events in the form of events.k8s.io/v1: with eventTime, action and reporting controller, without source and
 * firstTimestamp. The repetitions of an Event form a series. As upstream, its count is written when it begins, at the
 * second occurrence, and when it has ended. Requests are best effort: their answers are ignored.
 * Upstream: client-go/tools/events/event_broadcaster.go.
 */
export class EventSeriesRecorder {
  private readonly connection: Connection
  private readonly timers: TimersShape
  private readonly reporter: Reporter
  private readonly series = new Map<string, Series>()
  /** The time in the name of the latest Event, so that each has another. */
  private lastNanos = 0n
  private sweepTimer: Timer | undefined

  constructor(connection: Connection, timers: TimersShape, reporter: Reporter) {
    this.connection = connection
    this.timers = timers
    this.reporter = reporter
  }

  /** Records an event about an object; `related` is another that it is about, as the pod that preempts one. */
  record(
    regarding: KubeObject,
    type: "Normal" | "Warning",
    reason: string,
    action: string,
    note: string,
    related?: KubeObject
  ): void {
    const now = this.timers.now()
    const { name, namespace, resourceVersion, uid } = regarding.metadata
    const key = `${uid} ${namespace}/${name} ${resourceVersion} ${type} ${reason} ${action} ${related?.metadata.uid}`
    const known = this.series.get(key)
    if (known !== undefined) {
      known.count++
      known.lastMs = now
      if (known.count === 2) this.writeCount(known)
      return
    }
    const event = this.eventOf(regarding, { reason, message: note, type, action }, now, related)
    this.series.set(key, { event, count: 1, lastMs: now })
    this.connection.send(
      { verb: "create", kind: "Event", namespace: event.metadata.namespace ?? "default", object: event },
      () => undefined
    )
    this.sweepTimer ??= this.timers.after(SERIES_END_MS, this.endSeries)
  }

  close(): void {
    if (this.sweepTimer !== undefined) this.timers.cancel(this.sweepTimer)
    this.sweepTimer = undefined
    this.series.clear()
  }

  /** Ends the series that were not repeated for long; runs every `SERIES_END_MS` while there are any. */
  private readonly endSeries = (): void => {
    const until = this.timers.now() - SERIES_END_MS
    for (const [key, series] of this.series) {
      if (series.lastMs > until) continue
      this.series.delete(key)
      if (series.count > 2) guarded(this.timers, "event series", () => this.writeCount(series))
    }
    this.sweepTimer = this.series.size === 0 ? undefined : this.timers.after(SERIES_END_MS, this.endSeries)
  }

  private writeCount({ count, event, lastMs }: Series): void {
    this.connection.send(
      {
        verb: "patch",
        kind: "Event",
        namespace: event.metadata.namespace ?? "default",
        name: event.metadata.name ?? "",
        patchType: "strategic",
        body: { series: { count, lastObservedTime: formatMicroTime(lastMs) } }
      },
      () => undefined
    )
  }

  private eventOf(
    regarding: KubeObject,
    content: Pick<Event, "reason" | "message" | "type" | "action">,
    nowMs: number,
    related: KubeObject | undefined
  ): Event {
    const nanos = BigInt(Math.round(nowMs * 1000)) * 1000n
    this.lastNanos = nanos > this.lastNanos ? nanos : this.lastNanos + 1n
    return {
      apiVersion: "v1",
      kind: "Event",
      metadata: {
        name: `${regarding.metadata.name}.${this.lastNanos.toString(16)}`,
        namespace: regarding.metadata.namespace || "default"
      },
      involvedObject: referenceTo(regarding),
      ...(related === undefined ? {} : { related: referenceTo(related) }),
      ...content,
      // Go writes these of every Event.
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: formatMicroTime(nowMs),
      reportingComponent: this.reporter.controller,
      reportingInstance: this.reporter.instance
    }
  }
}
