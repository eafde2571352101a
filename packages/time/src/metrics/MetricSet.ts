import type { Family } from "./Family.ts"
import { Distribution, measuredBy, Value } from "./Series.ts"
import type { FamilySnapshot, Measured, Sample } from "./snapshot.ts"

/** The most series of a family, by default. Further ones are not counted, and are counted as dropped. */
const MAX_SERIES = 2000

type Labels<Label extends string> = Readonly<Record<Label, string>>

/** The series of one family by the values of its labels. */
export class SeriesMap<Label extends string, S> {
  readonly family: Family<Label>
  private readonly make: () => S
  private readonly most: number
  private readonly byKey = new Map<
    string,
    { readonly labels: ReadonlyArray<readonly [string, string]>; readonly series: S }
  >()
  private readonly sorted: ReadonlyArray<Label>
  /** Stands in for series above the limit. */
  private readonly surplus: S
  /** How often a series was refused because there are too many. */
  dropped = 0

  constructor(family: Family<Label>, make: () => S, most: number) {
    this.family = family
    this.make = make
    this.most = most
    this.sorted = family.labels.toSorted()
    this.surplus = make()
  }

  /** Returns the series with these labels. Callers on hot paths keep it. */
  with(labels: Labels<Label>): S {
    let key = ""
    for (const label of this.sorted) key += `${labels[label]}\0`
    const known = this.byKey.get(key)
    if (known !== undefined) return known.series
    if (this.byKey.size >= this.most) {
      this.dropped++
      return this.surplus
    }
    const series = this.make()
    this.byKey.set(key, { labels: this.sorted.map((label) => [label, labels[label]] as const), series })
    return series
  }

  *entries(): Generator<readonly [ReadonlyArray<readonly [string, string]>, S]> {
    for (const { labels, series } of this.byKey.values()) yield [labels, series]
  }
}

/** A sample that is read when the page is. */
export type ReadSample<Label extends string> = readonly [labels: Labels<Label>, value: number | Measured]

interface Source {
  readonly family: Family
  readonly samples: () => ReadonlyArray<Sample>
  readonly dropped: () => number
}

/**
 * The metrics of one component. Each family is added with its row; its series are counted by events, or read when the
 * page is. A family that is added twice is the same one.
 */
export class MetricSet {
  private readonly sources = new Map<string, Source>()
  private readonly maps = new Map<string, SeriesMap<string, unknown>>()

  /** Adds a counter or a gauge whose series are set by events. One without labels exists from now on. */
  values<Label extends string>(family: Family<Label>, most = MAX_SERIES): SeriesMap<Label, Value> {
    return this.add(
      family,
      () => new Value(),
      most,
      ({ value }) => value
    )
  }

  /** Adds a histogram or a summary. */
  distributions<Label extends string>(family: Family<Label>, most = MAX_SERIES): SeriesMap<Label, Distribution> {
    const bounds = family.buckets ?? []
    return this.add(family, () => new Distribution(bounds), most, measuredBy)
  }

  /** Adds a family without labels, which has one series. */
  value(family: Family<never>): Value {
    return this.values(family).with({})
  }

  /** Adds a histogram without labels, which has one series. */
  distribution(family: Family<never>): Distribution {
    return this.distributions(family).with({})
  }

  /** Adds a family whose series are read when the page is. */
  read<Label extends string>(family: Family<Label>, samples: () => Iterable<ReadSample<Label>>): void {
    const sorted = family.labels.toSorted()
    this.sources.set(family.name, {
      family,
      samples: () =>
        Array.from(samples(), ([labels, value]) => ({
          labels: sorted.map((label) => [label, labels[label]] as const),
          value
        })),
      dropped: () => 0
    })
  }

  /** The rows of all families. */
  families(): ReadonlyArray<Family> {
    return [...this.sources.values()].map(({ family }) => family)
  }

  /** The number of series that were not counted because their families have too many. */
  dropped(): ReadonlyArray<readonly [family: string, count: number]> {
    return [...this.sources.values()].map(({ dropped, family }) => [family.name, dropped()] as const)
  }

  /** Returns the families that have series. */
  snapshot(): ReadonlyArray<FamilySnapshot> {
    const found: Array<FamilySnapshot> = []
    for (const { family, samples } of this.sources.values()) {
      const all = samples()
      if (all.length > 0) found.push({ name: family.name, help: helpOf(family), type: family.type, samples: all })
    }
    return found
  }

  private add<Label extends string, S>(
    family: Family<Label>,
    make: () => S,
    most: number,
    read: (series: S) => Sample["value"]
  ): SeriesMap<Label, S> {
    const known = this.maps.get(family.name)
    if (known !== undefined) return known as SeriesMap<Label, S>
    const map = new SeriesMap(family, make, most)
    this.maps.set(family.name, map as SeriesMap<string, unknown>)
    this.sources.set(family.name, {
      family,
      samples: () => Array.from(map.entries(), ([labels, series]) => ({ labels, value: read(series) })),
      dropped: () => map.dropped
    })
    return map
  }
}

const helpOf = ({ help, stability }: Family): string => (stability === undefined ? help : `[${stability}] ${help}`)
