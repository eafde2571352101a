import type { Fields } from "@rollcall/api/values"
import { isFields } from "@rollcall/api/values"

/*
 * The metrics of HorizontalPodAutoscalers in the form of autoscaling/v1, which has them in annotations. Upstream:
 * pkg/apis/autoscaling/v1/conversion.go.
 */

/** A field of v1, the path of the same field of v2, and the value that v1 writes if it is absent. */
type Pair = readonly [own: string, path: string, absent?: string]
type Source = "containerResource" | "external" | "object" | "pods" | "resource"

const metric: ReadonlyArray<Pair> = [["metricName", "metric.name"]]
const selector: ReadonlyArray<Pair> = [["selector", "metric.selector"]]
const resource: ReadonlyArray<Pair> = [
  ["name", "name"],
  ["targetAverageUtilization", "target.averageUtilization"],
  ["targetAverageValue", "target.averageValue"]
]
const current: ReadonlyArray<Pair> = [
  ["name", "name"],
  ["currentAverageUtilization", "current.averageUtilization"],
  ["currentAverageValue", "current.averageValue", "0"]
]
const described: ReadonlyArray<Pair> = [["target", "describedObject"]]
const external: ReadonlyArray<Pair> = [...metric, ["metricSelector", "metric.selector"]]
const container: ReadonlyArray<Pair> = [["container", "container"]]

export type MetricPairs = Readonly<Record<Source, ReadonlyArray<Pair>>>

/** In the order of Go's fields, in which it writes them. */
export const specPairs: MetricPairs = {
  object: [
    ...described,
    ...metric,
    ["targetValue", "target.value", "0"],
    ...selector,
    ["averageValue", "target.averageValue"]
  ],
  pods: [...metric, ["targetAverageValue", "target.averageValue", "0"], ...selector],
  resource,
  containerResource: [...resource, ...container],
  external: [...external, ["targetValue", "target.value"], ["targetAverageValue", "target.averageValue"]]
}

export const statusPairs: MetricPairs = {
  object: [
    ...described,
    ...metric,
    ["currentValue", "current.value", "0"],
    ...selector,
    ["averageValue", "current.averageValue"]
  ],
  pods: [...metric, ["currentAverageValue", "current.averageValue", "0"], ...selector],
  resource: current,
  containerResource: [...current, ...container],
  external: [...external, ["currentValue", "current.value", "0"], ["currentAverageValue", "current.averageValue"]]
}

const sources = Object.keys(specPairs) as ReadonlyArray<Source>

const read = (value: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((inner, name) => (isFields(inner) ? inner[name] : undefined), value)

/** Returns a metric of v2 in the form of v1. */
export const metricToV1 = (given: object, pairs: MetricPairs): Fields => {
  const { type } = given as Fields
  const shown: Record<string, unknown> = { type }
  for (const source of sources) {
    const value = (given as Fields)[source]
    if (value === undefined) continue
    const fields = pairs[source].map(([own, path, absent]) => [own, read(value, path) ?? absent] as const)
    shown[source] = Object.fromEntries(fields.filter(([, field]) => field !== undefined))
  }
  return shown
}

const isZero = (quantity: unknown): boolean => Number(quantity) === 0

/** Returns the target of a metric with its type, which v1 has not. */
const typedTarget = (source: Source, target: Fields): Fields => {
  const { averageUtilization, averageValue, value } = target
  if (averageUtilization !== undefined) return { type: "Utilization", ...target }
  if (averageValue !== undefined && source !== "external") {
    const { value: _, ...rest } = target
    return { type: "AverageValue", ...(isZero(value) ? rest : target) }
  }
  return { type: value === undefined ? "AverageValue" : "Value", ...target }
}

/** Returns a metric of v1 in the form of v2; undefined if it is no object. */
export const metricFromV1 = (shown: unknown, pairs: MetricPairs): Fields | undefined => {
  if (!isFields(shown)) return undefined
  const made: Record<string, unknown> = { type: shown.type }
  for (const source of sources) {
    const value = shown[source]
    if (!isFields(value)) continue
    const fields: Record<string, unknown> = pairs === specPairs ? { target: {} } : { current: {} }
    for (const [own, path] of pairs[source]) {
      const field = value[own]
      if (field === undefined || field === null) continue
      const [name = "", inner] = path.split(".")
      fields[name] = inner === undefined ? field : { ...(fields[name] as Fields | undefined), [inner]: field }
    }
    if (isFields(fields.target)) fields.target = typedTarget(source, fields.target)
    made[source] = fields
  }
  return made
}
