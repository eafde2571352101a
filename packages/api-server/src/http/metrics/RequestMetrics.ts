import type { Distribution, MetricSet, Value } from "@rollcall/time"
import type { Query } from "../request/Query.ts"
import type { RequestInfo } from "../request/RequestInfo.ts"
import { Peak } from "./Peak.ts"
import { requestFamilies } from "./requestFamilies.ts"
import {
  dryRunLabel,
  fieldValidationLabel,
  labelsOf,
  type MonitoredPath,
  type RequestLabels,
  reportedVerb
} from "./requestLabels.ts"

/** A request, as it is counted. */
export interface CountedCall {
  readonly info: RequestInfo
  readonly request: { readonly method?: string | undefined; readonly headers: Headers }
  readonly query: Query
  readonly body: { readonly length: number }
  /** Whether its resource is served. */
  readonly isKnown: boolean
  readonly isServed: boolean
  readonly isDeprecated: boolean
  readonly monitored: MonitoredPath | undefined
  readonly waitedMs: number
  readonly sentBytes: number
  /** The series that counts it; kept between the end of its answer and that of its connection. */
  series?: Series | undefined
}

type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** The requests of one label set: counted by code, measured in buckets. */
class Series {
  readonly labels: RequestLabels
  readonly dryRun: string
  private readonly set: MetricSet
  private readonly codes = new Map<number, Value>()
  private readonly durations: Distribution
  /** Undefined for watches, which last as long as their clients want, and for dry runs. */
  private readonly sliDurations: Distribution | undefined
  /** The sizes of responses; undefined for writes. */
  readonly responseSizes: Distribution | undefined
  private bodySizes: Distribution | undefined

  constructor(set: MetricSet, labels: RequestLabels, dryRun: string) {
    this.set = set
    this.labels = labels
    this.dryRun = dryRun
    this.durations = set.distributions(requestFamilies.durations).with({ dry_run: dryRun, ...labels })
    if (labels.verb !== "WATCH" && dryRun === "")
      this.sliDurations = set.distributions(requestFamilies.sliDurations).with(labels)
    if (readVerbs.has(labels.verb)) this.responseSizes = set.distributions(requestFamilies.responseSizes).with(labels)
  }

  add(code: number, seconds: number, waitedSeconds: number): void {
    const total = this.codes.get(code) ?? this.counterOf(code)
    total.add()
    this.durations.observe(seconds)
    this.sliDurations?.observe(seconds - waitedSeconds)
  }

  addBody(bytes: number, verb: string): void {
    const { group, resource } = this.labels
    this.bodySizes ??= this.set.distributions(requestFamilies.bodySizes).with({ group, resource, verb })
    this.bodySizes.observe(bytes)
  }

  private counterOf(code: number): Value {
    const labels = { code: String(code), dry_run: this.dryRun, ...this.labels }
    const total = this.set.values(requestFamilies.total).with(labels)
    this.codes.set(code, total)
    return total
  }
}

const readVerbs: ReadonlySet<string> = new Set(["GET", "LIST", "WATCH"])

/** The maximum number of label sets; each has dozens of lines. Requests of further ones are not counted. */
const MAX_SERIES = 2000

/** Counts and measures requests. Upstream: endpoints/metrics, MonitorRequest. */
export class RequestMetrics {
  private readonly set: MetricSet
  private readonly series = new Map<string, Series>()
  private readonly withoutValidation: Distribution
  /** The latest counted request of a resource, and its series: requests of one kind come in bursts. */
  private latest: Counted | undefined
  /** The requests that execute and those that wait, by whether they write. */
  readonly inFlight = { mutating: new Peak(), readOnly: new Peak() }
  readonly inQueue = { mutating: new Peak(), readOnly: new Peak() }

  constructor(set: MetricSet, now: () => number) {
    this.set = set
    this.withoutValidation = this.validated("")
    const peaks = (kinds: typeof this.inFlight) => () =>
      (["mutating", "readOnly"] as const).map((kind) => [{ request_kind: kind }, kinds[kind].read(now())] as const)
    set.read(requestFamilies.inFlight, peaks(this.inFlight))
    set.read(requestFamilies.inQueue, peaks(this.inQueue))
  }

  private validated(validation: string): Distribution {
    return this.set.distributions(requestFamilies.fieldValidationDurations).with({ field_validation: validation })
  }

  /** Counts a request whose answer is complete, or begun for a long list. `seconds` is how long it took. */
  request(call: CountedCall, code: number, seconds: number): void {
    const series = this.seriesOf(call)
    if (series === undefined) return
    series.add(code, seconds, call.waitedMs / 1000)
    if (call.body.length > 0) series.addBody(call.body.length, call.info.verb)
    const { query } = call
    const validations = query.empty ? NONE : query.all("fieldValidation")
    const validated =
      validations.length === 0 ? this.withoutValidation : this.validated(fieldValidationLabel(validations))
    validated.observe(seconds)
    if (call.isDeprecated) this.deprecated(call)
  }

  /** Records the size of a response that has been written. */
  responded(call: CountedCall): void {
    this.seriesOf(call)?.responseSizes?.observe(call.sentBytes)
  }

  /** Counts a request that the server terminated to protect itself. Upstream: RecordRequestTermination. */
  terminated(call: CountedCall, code: number): void {
    const labels = this.plainLabels(call)
    this.set
      .values(requestFamilies.terminations)
      .with({ ...labels, code: String(code) })
      .add()
  }

  /** Counts a request that flow control refused. Upstream: RecordDroppedRequest. */
  dropped(call: CountedCall): void {
    const dryRun = call.query.empty ? "" : dryRunLabel(call.query.all("dryRun"))
    const labels = this.plainLabels(call)
    this.set
      .values(requestFamilies.total)
      .with({ ...labels, dry_run: dryRun, code: "429" })
      .add()
  }

  /** Counts a request whose client was gone before its answer. Upstream: RecordRequestAbort. */
  aborted(call: CountedCall): void {
    const { component: _, ...labels } = this.plainLabels(call)
    this.set.values(requestFamilies.aborts).with(labels).add()
  }

  /** The labels of any request. Clients choose names of resources freely, so unknown ones are not shown. */
  private plainLabels(call: CountedCall): RequestLabels {
    const { info } = call
    const labels = call.isKnown || !info.isResource ? labelsOf(info, verbOf(call), { subresource: "" }) : undefined
    const none = { group: "", version: "", resource: "", subresource: "", scope: "" }
    return { ...none, ...labels, verb: verbOf(call), component: "apiserver" }
  }

  private deprecated({ info }: CountedCall): void {
    const { group, resource, subresource, version } = info
    const labels = { group, version, resource, subresource, removed_release: "" }
    this.set.values(requestFamilies.deprecated).with(labels).set(1)
  }

  /** Returns the series of a request; undefined if it is not counted. */
  private seriesOf(call: CountedCall): Series | undefined {
    const { info, monitored, query, request } = call
    if (call.series !== undefined) return call.series
    if (!call.isServed || (info.isResource ? !call.isKnown : monitored === undefined)) return undefined
    if (this.latest !== undefined && isCountedAs(this.latest, call)) {
      call.series = this.latest.series
      return call.series
    }
    const series = this.findSeries(call)
    call.series = series
    if (series !== undefined && info.isResource && query.empty) {
      this.latest = { info, method: request.method, contentType: request.headers["content-type"], series }
    }
    return series
  }

  private findSeries(call: CountedCall): Series | undefined {
    const { info, monitored, query } = call
    const verb = verbOf(call)
    const dryRun = query.empty ? "" : dryRunLabel(query.all("dryRun"))
    const place = info.isResource
      ? `${info.resource}/${info.subresource}/${info.name === "" ? info.namespace === "" : 2}`
      : info.path
    const key = `${verb}/${dryRun}/${info.group}/${info.version}/${place}`
    const known = this.series.get(key)
    if (known !== undefined) return known
    const labels = labelsOf(info, verb, monitored)
    if (labels === undefined || this.series.size >= MAX_SERIES) return undefined
    const made = new Series(this.set, labels, dryRun)
    this.series.set(key, made)
    return made
  }
}

interface Counted {
  readonly info: RequestInfo
  readonly method: string | undefined
  readonly contentType: string | ReadonlyArray<string> | undefined
  readonly series: Series
}

/** Whether the call differs from a counted one in names only, so that the same series counts it. */
const isCountedAs = ({ contentType, info, method }: Counted, call: CountedCall): boolean => {
  const { info: other, query, request } = call
  return (
    query.empty &&
    other.isResource &&
    other.resource === info.resource &&
    other.verb === info.verb &&
    other.group === info.group &&
    other.version === info.version &&
    other.subresource === info.subresource &&
    (other.name === "") === (info.name === "") &&
    (other.namespace === "") === (info.namespace === "") &&
    request.method === method &&
    request.headers["content-type"] === contentType
  )
}

const NONE: ReadonlyArray<string> = []

const verbOf = ({ info, request }: CountedCall): string =>
  reportedVerb(info, request.method ?? "GET", contentTypeOf(request.headers["content-type"]))

const contentTypeOf = (header: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof header === "string" ? header.split(";", 1)[0] : undefined
