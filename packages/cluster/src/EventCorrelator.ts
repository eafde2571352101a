import { type Event, formatTime } from "@rollcall/api"
import { TokenBucket } from "@rollcall/eviction"
import { Lru } from "./internal/Lru.ts"

const CACHE_ENTRIES = 4096
/** From this many different messages of one reason about one object within the interval on, they are told as one Event. */
const AGGREGATE_FROM = 10
const AGGREGATE_INTERVAL_MS = 600_000
const SPAM_BURST = 25
const SPAM_QPS = 1 / 300

/** What to write for an event; undefined `event`: nothing, the source talks too much about this object. */
export interface Correlated {
  readonly event: Event | undefined
  /** Raises the count of an Event that was written before. */
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
 * Makes many alike events few: repeats raise a count, ten messages of one reason become a combined Event, and a source that
 * exceeds 25 events about one object, and one more each five minutes, is not heard.
 * Upstream: client-go/tools/record/events_cache.go.
 */
export class EventCorrelator {
  private readonly similar = new Lru<Similar>(CACHE_ENTRIES)
  private readonly observed = new Lru<Observation>(CACHE_ENTRIES)
  private readonly spam = new Lru<TokenBucket>(CACHE_ENTRIES)

  /** `nameAt` names a combined Event. */
  correlate(event: Event, nowMs: number, nameAt: (objectName: string, nowMs: number) => string): Correlated {
    const [aggregated, key] = this.aggregate(event, nowMs, nameAt)
    const correlated = this.observe(aggregated, key)
    return this.isSpam(aggregated, nowMs) ? { event: undefined } : correlated
  }

  /** Notes what the API made of an event. */
  written(event: Event): void {
    this.note(eventKey(event), event)
  }

  private aggregate(
    event: Event,
    nowMs: number,
    nameAt: (objectName: string, nowMs: number) => string
  ): readonly [Event, string] {
    const key = reasonKey(event)
    let record = this.similar.get(key)
    if (record === undefined || nowMs - record.lastMs > AGGREGATE_INTERVAL_MS) {
      record = { messages: new Set(), lastMs: nowMs }
      this.similar.set(key, record)
    }
    record.messages.add(event.message ?? "")
    record.lastMs = nowMs
    if (record.messages.size < AGGREGATE_FROM) return [event, eventKey(event)]
    // Upstream drops any one of the messages; the oldest, so that runs repeat.
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
      this.note(key, event)
      return { event }
    }
    const count = last.count + 1
    const repeated: Event = {
      ...event,
      metadata: { ...event.metadata, name: last.name },
      firstTimestamp: last.firstTimestamp ?? null,
      count
    }
    this.note(key, repeated)
    return {
      event: repeated,
      patch: { count, lastTimestamp: repeated.lastTimestamp, message: repeated.message }
    }
  }

  private note(key: string, event: Event): void {
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
