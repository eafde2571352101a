/** The stability of a metric, as its help text begins with it. Upstream: component-base/metrics, StabilityLevel. */
export type Stability = "ALPHA" | "BETA" | "STABLE"

export type FamilyType = "counter" | "gauge" | "histogram" | "summary"

/** A row of a table of metrics: one family of series, which differ in the values of their labels. */
export interface Family<Label extends string = string> {
  readonly name: string
  readonly type: FamilyType
  /** What it counts or measures. */
  readonly help: string
  /** Undefined for metrics that Kubernetes does not have. */
  readonly stability?: Stability
  readonly labels: ReadonlyArray<Label>
  /** The upper bounds of the buckets of a histogram, without infinity. */
  readonly buckets?: ReadonlyArray<number>
}

type Parts<Label extends string> = readonly [stability: Stability | undefined, help: string, labels?: readonly Label[]]

const familyOf = <Label extends string>(
  name: string,
  type: FamilyType,
  [stability, help, labels = []]: Parts<Label>,
  buckets?: ReadonlyArray<number>
): Family<Label> => ({
  name,
  type,
  help,
  labels,
  ...(stability === undefined ? {} : { stability }),
  ...(buckets === undefined ? {} : { buckets })
})

/** A row of a metric that only grows. */
export const counter = <Label extends string = never>(name: string, ...parts: Parts<Label>): Family<Label> =>
  familyOf(name, "counter", parts)

/** A row of a metric that is the present value of something. */
export const gauge = <Label extends string = never>(name: string, ...parts: Parts<Label>): Family<Label> =>
  familyOf(name, "gauge", parts)

/** A row of a metric that counts measurements in buckets. */
export const histogram = <Label extends string = never>(
  name: string,
  buckets: ReadonlyArray<number>,
  ...parts: Parts<Label>
): Family<Label> => familyOf(name, "histogram", parts, buckets)

/** A row of a metric with a sum and a count of measurements, and no buckets. */
export const summary = <Label extends string = never>(name: string, ...parts: Parts<Label>): Family<Label> =>
  familyOf(name, "summary", parts)

/** Returns `count` bounds, each `factor` times the one before. Upstream: prometheus.ExponentialBuckets. */
export const exponentialBuckets = (start: number, factor: number, count: number): ReadonlyArray<number> => {
  const bounds: Array<number> = []
  for (let bound = start; bounds.length < count; bound *= factor) bounds.push(bound)
  return bounds
}

/** Returns `count` bounds, each `width` more than the one before. Upstream: prometheus.LinearBuckets. */
export const linearBuckets = (start: number, width: number, count: number): ReadonlyArray<number> => {
  const bounds: Array<number> = []
  for (let bound = start; bounds.length < count; bound += width) bounds.push(bound)
  return bounds
}

/** Upstream: prometheus.DefBuckets. */
export const defaultBuckets: ReadonlyArray<number> = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
