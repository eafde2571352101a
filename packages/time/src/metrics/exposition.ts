import { protobufOf } from "./protobuf.ts"
import { type FamilySnapshot, joinFamilies, type Sample } from "./snapshot.ts"
import { textOf } from "./text.ts"

/** A page of metrics. */
export interface Exposition {
  readonly type: string
  readonly body: string | Uint8Array
}

interface Accepted {
  readonly type: string
  readonly parameters: Readonly<Record<string, string>>
  readonly quality: number
}

const parsedAccept = (accept: string): ReadonlyArray<Accepted> =>
  accept
    .split(",")
    .map((clause) => {
      const [type = "", ...rest] = clause.split(";").map((part) => part.trim())
      const parameters = Object.fromEntries(rest.map((part) => part.split("=", 2).map((side) => side.trim())))
      return { type: type.toLowerCase(), parameters, quality: Number(parameters.q ?? 1) || 0 }
    })
    .toSorted((left, right) => right.quality - left.quality)

const PROTOBUF = "application/vnd.google.protobuf"
const FAMILY = "io.prometheus.client.MetricFamily"
const ESCAPINGS: ReadonlySet<string> = new Set(["allow-utf-8", "underscores", "dots", "values"])

/**
 * Returns the media type of a page of metrics: protobuf or text, whichever the client prefers. Kubernetes does not serve
 * OpenMetrics. Upstream: component-base/metrics/http.go; prometheus/common/expfmt, Negotiate.
 */
const negotiate = (accept: string): { readonly type: string; readonly isProtobuf: boolean } => {
  let escaping = "underscores"
  for (const { parameters, type } of parsedAccept(accept)) {
    if (ESCAPINGS.has(parameters.escaping ?? "")) escaping = parameters.escaping as string
    if (type === PROTOBUF && parameters.proto === FAMILY && parameters.encoding === "delimited") {
      return { type: `${PROTOBUF}; proto=${FAMILY}; encoding=delimited; escaping=${escaping}`, isProtobuf: true }
    }
    const { version = "" } = parameters
    if (type === "text/plain" && (version === "" || version === "0.0.4" || version === "1.0.0")) break
  }
  return { type: `text/plain; version=0.0.4; charset=utf-8; escaping=${escaping}`, isProtobuf: false }
}

const byName = (left: { readonly name: string }, right: { readonly name: string }): number =>
  left.name < right.name ? -1 : left.name > right.name ? 1 : 0

/** Orders the series of a family by the values of their labels, as Prometheus' own client does. */
const byLabels = ({ labels: left }: Sample, { labels: right }: Sample): number => {
  for (const [at, [, value]] of left.entries()) {
    const other = right[at]?.[1] ?? ""
    if (value !== other) return value < other ? -1 : 1
  }
  return left.length - right.length
}

/** Returns the page with these families, by name, in the form that `accept` prefers. */
export const expositionOf = (all: ReadonlyArray<FamilySnapshot>, accept = ""): Exposition => {
  const families = joinFamilies(all)
    .map((family) => ({ ...family, samples: family.samples.toSorted(byLabels) }))
    .toSorted(byName)
  const { isProtobuf, type } = negotiate(accept)
  return { type, body: isProtobuf ? protobufOf(families) : textOf(families) }
}
