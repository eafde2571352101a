import type { RequestInfo } from "../request/RequestInfo.ts"

/** Upstream: apiserver/pkg/endpoints/metrics/metrics.go. */
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

/** Requests of one sort: counted by code, measured in buckets. */
class Series {
  readonly labels: string
  readonly codes = new Map<number, number>()
  readonly buckets = new Float64Array(BUCKETS.length)
  count = 0
  sum = 0

  constructor(labels: string) {
    this.labels = labels
  }

  add(code: number, seconds: number): void {
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1)
    this.count++
    this.sum += seconds
    let index = 0
    while (index < BUCKETS.length && seconds > (BUCKETS[index] as number)) index++
    if (index < BUCKETS.length) this.buckets[index] = (this.buckets[index] as number) + 1
  }
}

/** A value that is read when it is asked for. */
export interface Gauge {
  readonly name: string
  readonly help: string
  /** Default: a gauge. */
  readonly type?: "gauge" | "counter" | "histogram"
  /** The suffix is that of a histogram's parts: `_bucket`, `_sum`, `_count`. */
  readonly values: () => Iterable<readonly [labels: string, value: number, suffix?: string]>
}

/** Label values that clients choose freely would let them fill the memory: unknown resources are counted as one. */
const MAX_SERIES = 2000

export const label = (name: string, value: string): string =>
  `${name}="${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`

/** What `/metrics` tells, under the upstream names. */
export class Metrics {
  private readonly series = new Map<string, Series>()
  private readonly terminations = new Map<string, number>()
  private readonly gauges: ReadonlyArray<Gauge>

  constructor(gauges: ReadonlyArray<Gauge>) {
    this.gauges = gauges
  }

  /** `known`: the resource is one that is served. */
  request(info: RequestInfo, known: boolean, dryRun: boolean, code: number, seconds: number): void {
    const key = known
      ? `${info.group}/${info.version}/${info.resource}/${info.subresource}/${info.verb}/${scopeOf(info)}/${dryRun}`
      : `other/${info.verb}`
    const found = this.series.get(key) ?? this.begin(key, info, known, dryRun)
    found?.add(code, seconds)
  }

  /** A request that the server ended in its own defence. Upstream: apiserver/pkg/endpoints/metrics, RecordRequestTermination. */
  terminated(info: RequestInfo, known: boolean, code: number): void {
    const labels = `${label("code", String(code))},${labelsOf(info, known).join(",")}`
    const count = this.terminations.get(labels)
    if (count !== undefined || this.terminations.size < MAX_SERIES) this.terminations.set(labels, (count ?? 0) + 1)
  }

  text(): string {
    const lines: Array<string> = []
    const head = (name: string, type: string, help: string) =>
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`)
    head("apiserver_request_total", "counter", "Requests by verb, group, version, resource, scope and code.")
    for (const { codes, labels } of this.series.values()) {
      for (const [code, count] of codes)
        lines.push(`apiserver_request_total{${label("code", String(code))},${labels}} ${count}`)
    }
    const terminations = "apiserver_request_terminations_total"
    head(terminations, "counter", "Requests that the server ended in its own defence.")
    for (const [labels, count] of this.terminations) lines.push(`${terminations}{${labels}} ${count}`)
    const duration = "apiserver_request_duration_seconds"
    head(duration, "histogram", "How long requests took.")
    for (const { buckets, count, labels, sum } of this.series.values()) {
      let below = 0
      BUCKETS.forEach((bound, index) => {
        below += buckets[index] as number
        lines.push(`${duration}_bucket{${labels},le="${bound}"} ${below}`)
      })
      lines.push(`${duration}_bucket{${labels},le="+Inf"} ${count}`)
      lines.push(`${duration}_sum{${labels}} ${sum}`, `${duration}_count{${labels}} ${count}`)
    }
    for (const { help, name, type = "gauge", values } of this.gauges) {
      head(name, type, help)
      for (const [labels, value, suffix = ""] of values())
        lines.push(labels === "" ? `${name}${suffix} ${value}` : `${name}${suffix}{${labels}} ${value}`)
    }
    return `${lines.join("\n")}\n`
  }

  private begin(key: string, info: RequestInfo, known: boolean, dryRun: boolean): Series | undefined {
    if (this.series.size >= MAX_SERIES) return undefined
    const labels = [label("dry_run", dryRun ? "All" : ""), ...labelsOf(info, known)].toSorted()
    const made = new Series(labels.join(","))
    this.series.set(key, made)
    return made
  }
}

const labelsOf = (info: RequestInfo, known: boolean): ReadonlyArray<string> => {
  const { group, resource, subresource, verb, version } = info
  return [
    label("component", "apiserver"),
    label("group", known ? group : ""),
    label("resource", known ? resource : ""),
    label("scope", known ? scopeOf(info) : ""),
    label("subresource", known ? subresource : ""),
    label("verb", verbNames[verb] ?? "other"),
    label("version", known ? version : "")
  ]
}

const scopeOf = ({ isResource, name, namespace, verb }: RequestInfo): string => {
  if (!isResource) return ""
  if (name !== "" || verb === "create") return "resource"
  return namespace === "" ? "cluster" : "namespace"
}

/** Counts of values by upper bound. */
export class Histogram {
  readonly bounds: ReadonlyArray<number>
  private readonly counts: Float64Array
  private count = 0
  private sum = 0

  constructor(bounds: ReadonlyArray<number>) {
    this.bounds = bounds
    this.counts = new Float64Array(bounds.length)
  }

  add(value: number): void {
    this.count++
    this.sum += value
    for (let index = 0; index < this.bounds.length; index++) {
      if (value > (this.bounds[index] as number)) continue
      this.counts[index] = (this.counts[index] as number) + 1
      return
    }
  }

  /** What Prometheus reads: suffix of the name, labels, value. */
  *samples(labels: string): Generator<readonly [labels: string, value: number, suffix: string]> {
    let below = 0
    for (let index = 0; index < this.bounds.length; index++) {
      below += this.counts[index] as number
      yield [`${labels},le="${this.bounds[index]}"`, below, "_bucket"]
    }
    yield [`${labels},le="+Inf"`, this.count, "_bucket"]
    yield [labels, this.sum, "_sum"]
    yield [labels, this.count, "_count"]
  }
}
