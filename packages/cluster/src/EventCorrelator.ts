import { type Event, formatTime } from "@rollcall/api"
import { TokenBucket } from "@rollcall/eviction/rules"
import { Lru } from "./internal/Lru.ts"

const CACHE_ENTRIES = 4096
/** The number of different messages of one reason about one object, within the interval, that become one Event. */
const MIN_SIMILAR = 10
const SIMILAR_INTERVAL_MS = 600_000
/** Each source may write 25 Events about one object, and one more every 5 minutes. */
const SPAM_BURST = 25
const SPAM_QPS = 1 / 300

/** What to write for an event. `event` is undefined if the source has exceeded its spam limit for this object. */
export interface Correlated {
  readonly event: Event | undefined
  /** The patch that raises the count of an Event written before; absent for a new Event. */
  readonly patch?: unknown
}

interface Observation {
  readonly count: number
  readonly firstTimestamp: Event["firstTimestamp"]
  readonly name: string
}

interface Similar {
  readonly messages: Set<string>
  lastMs: number
}

const sourceKey = ({ source }: Event): string => `${source?.component ?? ""}|${source?.host ?? ""}`

const objectKey = ({ involvedObject: { apiVersion = "", kind = "", name = "", namespace = "", uid = "" } }: Event) =>
  `${kind}|${namespace}|${name}|${uid}|${apiVersion}`

const spamKey = (event: Event): string => `${sourceKey(event)}|${objectKey(event)}`

const reasonKey = (event: Event): string =>
  `${spamKey(event)}|${event.type}|${event.reason}|${event.reportingComponent ?? ""}|${event.reportingInstance ?? ""}`

const eventKey = (event: Event): string =>
  `${spamKey(event)}|${event.involvedObject.fieldPath ?? ""}|${event.type}|${event.reason}|${event.message}`

/**
 * Reduces repeated and similar events: a repeat raises a count, ten messages of one reason are aggregated into a
 * combined Event, and events beyond 25 about one object, refilled by one each five minutes, are dropped. Upstream:
 * client-go/tools/record/events_cache.go.
 */
export class EventCorrelator {
  private readonly similar = new Lru<Similar>(CACHE_ENTRIES)
  private readonly observed = new Lru<Observation>(CACHE_ENTRIES)
  private readonly spam = new Lru<TokenBucket>(CACHE_ENTRIES)

  /** Decides what to write for `event`. `nameAt` returns the name of a combined Event. */
  correlate(event: Event, nowMs: number, nameAt: (objectName: string, nowMs: number) => string): Correlated {
    const [aggregated, key] = this.aggregate(event, nowMs, nameAt)
    const correlated = this.observe(aggregated, key)
    return this.isSpam(aggregated, nowMs) ? { event: undefined } : correlated
  }

  /** Records an event as the API returned it. */
  written(event: Event): void {
    this.remember(eventKey(event), event)
  }

  private aggregate(
    event: Event,
    nowMs: number,
    nameAt: (objectName: string, nowMs: number) => string
  ): readonly [Event, string] {
    const key = reasonKey(event)
    let record = this.similar.get(key)
    if (record === undefined || nowMs - record.lastMs > SIMILAR_INTERVAL_MS) {
      record = { messages: new Set(), lastMs: nowMs }
      this.similar.set(key, record)
    }
    record.messages.add(event.message ?? "")
    record.lastMs = nowMs
    if (record.messages.size < MIN_SIMILAR) return [event, eventKey(event)]
    // Upstream drops an arbitrary message; this drops the oldest, so that runs repeat.
    for (const message of record.messages) {
      record.messages.delete(message)
      break
    }
    const now = formatTime(nowMs)
    const { reportingComponent: _component, reportingInstance: _instance, ...rest } = event
    const combined: Event = {
      ...rest,
      metadata: { ...event.metadata, name: nameAt(event.involvedObject.name ?? "", nowMs) },
      message: `(combined from similar events): ${event.message ?? ""}`,
      firstTimestamp: now,
      lastTimestamp: now
    }
    return [combined, key]
  }

  private observe(event: Event, key: string): Correlated {
    const last = this.observed.get(key)
    if (last === undefined) {
      this.remember(key, event)
      return { event }
    }
    const count = last.count + 1
    const repeated: Event = {
      ...event,
      metadata: { ...event.metadata, name: last.name },
      firstTimestamp: last.firstTimestamp ?? null,
      count
    }
    this.remember(key, repeated)
    return {
      event: repeated,
      patch: { count, lastTimestamp: repeated.lastTimestamp, message: repeated.message }
    }
  }

  private remember(key: string, event: Event): void {
    const { count = 1, firstTimestamp, metadata } = event
    this.observed.set(key, { count, firstTimestamp, name: metadata.name ?? "" })
  }

  private isSpam(event: Event, nowMs: number): boolean {
    const key = spamKey(event)
    const bucket = this.spam.get(key) ?? new TokenBucket(SPAM_QPS, SPAM_BURST)
    this.spam.set(key, bucket)
    return !bucket.tryTake(nowMs)
  }
}
