import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import type { FamilyType } from "./Family.ts"

/** The state of a histogram or summary. */
export interface Measured {
  readonly count: number
  readonly sum: number
  /** The numbers of measurements up to each bound, without infinity; none for a summary. */
  readonly buckets: ReadonlyArray<readonly [bound: number, below: number]>
}

/** A series at one moment. */
export interface Sample {
  /** In the order in which they are printed. */
  readonly labels: ReadonlyArray<readonly [name: string, value: string]>
  readonly value: number | Measured
  /** When the value was measured, in milliseconds since the epoch; absent for one of now. */
  readonly timeMs?: number
}

/** A family of series at one moment. */
export interface FamilySnapshot {
  readonly name: string
  readonly help: string | undefined
  readonly type: FamilyType
  readonly samples: ReadonlyArray<Sample>
}

type Series = ReturnType<typeof Metric.snapshotUnsafe>[number]

const types: Readonly<Record<string, FamilyType>> = { Counter: "counter", Gauge: "gauge", Histogram: "histogram" }

const seriesValue = (series: Series): Sample["value"] | undefined => {
  switch (series.type) {
    case "Counter":
      return Number(series.state.count)
    case "Gauge":
      return Number(series.state.value)
    case "Histogram": {
      const { buckets, count, sum } = series.state
      return { count, sum, buckets: buckets.filter(([bound]) => Number.isFinite(bound)) }
    }
    default:
      return undefined
  }
}

/** Returns the metrics of a registry of Effect; types that Prometheus does not have are omitted. */
export const snapshotsOf = (context: Context.Context<never>): ReadonlyArray<FamilySnapshot> =>
  joinFamilies(
    Metric.snapshotUnsafe(context).flatMap((series) => {
      const [type, value] = [types[series.type], seriesValue(series)]
      if (type === undefined || value === undefined) return []
      const labels = Object.entries(series.attributes ?? {})
      return [{ name: series.id, help: series.description, type, samples: [{ labels, value }] }]
    })
  )

/** Joins the series of families with the same name, in the order in which names occur first. */
export const joinFamilies = (all: ReadonlyArray<FamilySnapshot>): ReadonlyArray<FamilySnapshot> => {
  const byName = new Map<string, FamilySnapshot & { readonly samples: Array<Sample> }>()
  for (const family of all) {
    const known = byName.get(family.name)
    if (known === undefined) byName.set(family.name, { ...family, samples: [...family.samples] })
    else for (const sample of family.samples) known.samples.push(sample)
  }
  return [...byName.values()]
}
