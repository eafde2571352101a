import { metricsContext, metricsText } from "@rollcall/time"
import type * as Context from "effect/Context"
import { constVoid } from "effect/Function"
import * as Metric from "effect/Metric"
import type { RequestInfo } from "../request/RequestInfo.ts"

/** Upper bounds of request durations in seconds. Upstream: apiserver/pkg/endpoints/metrics/metrics.go. */
const BUCKETS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60]

const verbNames: Readonly<Record<string, string>> = {
  get: "GET",
  list: "LIST",
  watch: "WATCH",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
  deletecollection: "DELETECOLLECTION"
}

const requestTotal = Metric.counter("apiserver_request_total", {
  description:
    "[STABLE] Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.",
  incremental: true
})
const terminationsTotal = Metric.counter("apiserver_request_terminations_total", {
  description: "[ALPHA] Number of requests which apiserver terminated in self-defense.",
  incremental: true
})
const durationSeconds = Metric.histogram("apiserver_request_duration_seconds", {
  description:
    "[STABLE] Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.",
  boundaries: BUCKETS
})

/** Objectives are about seconds: the finer buckets are left out. */
const sliSeconds = Metric.histogram("apiserver_request_sli_duration_seconds", {
  description:
    "[ALPHA] Response latency distribution (not counting webhook duration and priority & fairness queue wait times) in seconds for each verb, group, version, resource, subresource, scope and component.",
  boundaries: BUCKETS.slice(2)
})

type Labels = Readonly<Record<string, string>>

/** A metric family whose values are read on demand. */
export type Gauge = {
  readonly name: string
  readonly help: string
} & (
  | {
      /** Default: a gauge. */
      readonly type?: "gauge" | "counter"
      readonly values: () => Iterable<readonly [labels: Labels, value: number]>
    }
  | {
      readonly type: "histogram"
      readonly values: () => Iterable<readonly [labels: Labels, value: Metric.HistogramState]>
    }
)

/** The requests of one label set: counted by code, measured in buckets. */
class Series {
  private readonly context: Context.Context<never>
  private readonly labels: Labels
  private readonly codes = new Map<number, Metric.Metric<number, unknown>>()
  private readonly duration: Metric.Metric<number, unknown>
  /** Undefined for watches, which last as long as their clients want. */
  private readonly sli: Metric.Metric<number, unknown> | undefined

  constructor(context: Context.Context<never>, labels: Labels) {
    this.context = context
    this.labels = labels
    this.duration = durationSeconds.pipe(Metric.withAttributes(labels))
    const { dry_run: _, ...rest } = labels
    this.sli = labels.verb === "WATCH" ? undefined : sliSeconds.pipe(Metric.withAttributes(rest))
  }

  add(code: number, seconds: number): void {
    const total = this.codes.get(code) ?? this.counterOf(code)
    total.updateUnsafe(1, this.context)
    this.duration.updateUnsafe(seconds, this.context)
    this.sli?.updateUnsafe(seconds, this.context)
  }

  private counterOf(code: number): Metric.Metric<number, unknown> {
    const total = requestTotal.pipe(Metric.withAttributes({ code: String(code), ...this.labels }))
    this.codes.set(code, total)
    return total
  }
}

/** The maximum number of label sets. Clients choose names of resources freely, so unknown ones are counted as one. */
const MAX_SERIES = 2000

/** The metrics of `/metrics`, with the upstream names: requests are counted as they end, gauges are read on demand. */
export class Metrics {
  private readonly context = metricsContext()
  private readonly series = new Map<string, Series>()
  private readonly terminations = new Map<string, Metric.Metric<number, unknown>>()
  private readonly gauges: ReadonlyArray<Gauge>
  /** The results of authentication and authorization. */
  private readonly authentications = { success: 0, failure: 0 }
  private readonly authorizations = { allowed: 0, denied: 0 }

  constructor(gauges: ReadonlyArray<Gauge>) {
    const attempts = (name: string, help: string, counts: Readonly<Record<string, number>>): Gauge => ({
      name,
      help,
      type: "counter",
      values: () => Object.entries(counts).flatMap(([result, count]) => (count === 0 ? [] : [[{ result }, count]]))
    })
    this.gauges = [
      attempts("authentication_attempts", "[ALPHA] Counter of authenticated attempts.", this.authentications),
      attempts(
        "authorization_attempts_total",
        "[ALPHA] Counter of authorization attempts broken down by result. It can be either 'allowed', 'denied', 'no-opinion' or 'error'.",
        this.authorizations
      ),
      ...gauges
    ]
  }

  /** Counts an authentication. */
  authenticated(isSuccess: boolean): void {
    this.authentications[isSuccess ? "success" : "failure"]++
  }

  /** Counts an authorization. */
  authorized(isAllowed: boolean): void {
    this.authorizations[isAllowed ? "allowed" : "denied"]++
  }

  /** Counts a request. `known`: whether the resource is served. */
  request(info: RequestInfo, known: boolean, dryRun: boolean, code: number, seconds: number): void {
    const key = known
      ? `${info.group}/${info.version}/${info.resource}/${info.subresource}/${info.verb}/${scopeOf(info)}/${dryRun}`
      : `other/${info.verb}`
    const found = this.series.get(key) ?? this.addSeries(key, info, known, dryRun)
    found?.add(code, seconds)
  }

  /**
   * Counts a request that the server terminated to protect itself. Upstream: apiserver/pkg/endpoints/metrics,
   * RecordRequestTermination.
   */
  terminated(info: RequestInfo, known: boolean, code: number): void {
    const labels: Labels = { code: String(code), ...labelsOf(info, known) }
    const key = Object.values(labels).join("/")
    let total = this.terminations.get(key)
    if (total === undefined) {
      if (this.terminations.size >= MAX_SERIES) return
      total = terminationsTotal.pipe(Metric.withAttributes(labels))
      this.terminations.set(key, total)
    }
    total.updateUnsafe(1, this.context)
  }

  /** Returns the page in Prometheus' text format: the server's own metrics, followed by those of `process`. */
  text(process?: Context.Context<never>): string {
    return metricsText(this.context, contextOf(this.gauges), ...(process === undefined ? [] : [process]))
  }

  /** Adds a label set; returns undefined, so that the request is not counted, if there are too many. */
  private addSeries(key: string, info: RequestInfo, known: boolean, dryRun: boolean): Series | undefined {
    if (this.series.size >= MAX_SERIES) return undefined
    const { component, ...labels } = labelsOf(info, known)
    const made = new Series(this.context, { component, dry_run: dryRun ? "All" : "", ...labels })
    this.series.set(key, made)
    return made
  }
}

/** Returns a registry with the present values of gauges: series that ended since the last page are omitted. */
const contextOf = (gauges: ReadonlyArray<Gauge>): Context.Context<never> => {
  const now = metricsContext()
  for (const gauge of gauges) registerGauge(now, gauge)
  return now
}

/** Returns the present values of gauges in Prometheus' text format. */
export const gaugesText = (gauges: ReadonlyArray<Gauge>): string => metricsText(contextOf(gauges))

/** Registers the present values of a gauge in a registry. */
const registerGauge = (context: Context.Context<never>, gauge: Gauge): void => {
  const { name, help: description } = gauge
  if (gauge.type === "histogram") {
    const metric = Metric.histogram(name, { description, boundaries: [] })
    for (const [labels, state] of gauge.values()) {
      const hooks = { get: () => state, update: constVoid, modify: constVoid }
      Metric.registerUnsafe(metric.pipe(Metric.withAttributes(labels)), context, hooks)
    }
    return
  }
  const make = gauge.type === "counter" ? Metric.counter : Metric.gauge
  const metric: Metric.Metric<number, unknown> = make(name, { description })
  for (const [labels, value] of gauge.values()) {
    metric.pipe(Metric.withAttributes(labels)).updateUnsafe(value, context)
  }
}

const labelsOf = (info: RequestInfo, known: boolean) => {
  const { group, resource, subresource, verb, version } = info
  return {
    component: "apiserver",
    group: known ? group : "",
    resource: known ? resource : "",
    scope: known ? scopeOf(info) : "",
    subresource: known ? subresource : "",
    verb: verbNames[verb] ?? "other",
    version: known ? version : ""
  }
}

const scopeOf = ({ isResource, name, namespace, verb }: RequestInfo): string => {
  if (!isResource) return ""
  if (name !== "" || verb === "create") return "resource"
  return namespace === "" ? "cluster" : "namespace"
}

export interface Histogram {
  readonly add: (value: number) => void
  readonly state: () => Metric.HistogramState
}

/** Makes a histogram outside of all registries, so that it disappears with its owner. */
export const histogramOf = (boundaries: ReadonlyArray<number>): Histogram => {
  const context = metricsContext()
  const metric = Metric.histogram("", { boundaries })
  return { add: (value) => metric.updateUnsafe(value, context), state: () => metric.valueUnsafe(context) }
}
