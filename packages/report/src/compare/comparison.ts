import { type ReleaseName, releaseNames } from "@rollcall/api"
import type { ScenarioResult } from "@rollcall/simulator/result"
import { columns, fold, printable } from "@rollcall/text"
import { type Column, outageSections, type Section } from "./outage.ts"
import { gateRows, releaseRows } from "./releaseTable.ts"

interface Compared {
  readonly apiVersion: "rollcall.dev/v1alpha1"
  /** The scenario that was rehearsed for each column; absent: the comparison is without a rehearsal. */
  readonly scenario?: { readonly name: string; readonly description: string }
  readonly sections: ReadonlyArray<Section>
}

/** A comparison of releases: of their properties, or of the results of one scenario under each. */
export interface Comparison extends Compared {
  readonly kind: "ReleaseComparison"
  readonly releases: ReadonlyArray<ReleaseName>
}

/** A comparison of the results of one scenario with several values of a setting. */
export interface SettingComparison extends Compared {
  readonly kind: "SettingComparison"
  /** The setting's path in the scenario. */
  readonly setting: string
  readonly values: ReadonlyArray<string>
  /** The seeds that each value was rehearsed with. */
  readonly seeds: ReadonlyArray<number>
}

export interface Rehearsed {
  readonly description: string
  /** In the order of the releases. */
  readonly results: ReadonlyArray<ScenarioResult>
}

/** Compares the properties of releases, or, if `rehearsed` is given, the results of one scenario under each. */
export const compareReleases = (
  names: ReadonlyArray<ReleaseName> = releaseNames,
  rehearsed?: Rehearsed
): Comparison => ({
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "ReleaseComparison",
  releases: names,
  ...(rehearsed === undefined
    ? {
        sections: [
          { title: "what a release is", rows: releaseRows(names) },
          { title: "feature gates", rows: gateRows(names) }
        ]
      }
    : {
        scenario: { name: rehearsed.results[0]?.metadata.name ?? "", description: rehearsed.description },
        sections: outageSections(rehearsed.results.map((result) => [result]))
      })
})

/** Compares the results of one scenario with each value of a setting; every value was rehearsed with the same seeds. */
export const compareSettings = (
  setting: string,
  rehearsed: {
    readonly description: string
    readonly runs: ReadonlyArray<{ readonly value: string; readonly results: Column }>
  }
): SettingComparison => {
  const { description, runs } = rehearsed
  const results = runs[0]?.results ?? []
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "SettingComparison",
    setting,
    values: runs.map(({ value }) => value),
    seeds: results.map(({ spec }) => spec.seed),
    scenario: { name: results[0]?.metadata.name ?? "", description },
    sections: outageSections(runs.map((run) => run.results))
  }
}

const headsOf = (comparison: Comparison | SettingComparison): ReadonlyArray<string> =>
  comparison.kind === "ReleaseComparison" ? comparison.releases : comparison.values

const aboutOf = (comparison: Comparison | SettingComparison): ReadonlyArray<string> => {
  const { kind, scenario } = comparison
  if (scenario === undefined) return []
  const lines = [scenario.name, ...fold(scenario.description)]
  if (kind === "ReleaseComparison") return [...lines, ""]
  const { seeds, setting } = comparison
  const which = seeds.length === 1 ? `seed ${seeds[0]}` : `${seeds.length} seeds, ${seeds[0]} to ${seeds.at(-1)}`
  return [...lines, "", `${setting}, with ${which}`, ""]
}

/** Renders a comparison as a text table. A cell equal to the one on its left shows a quotation mark. */
export const renderComparison = (comparison: Comparison | SettingComparison): string => {
  const heads = headsOf(comparison)
  const rows = comparison.sections.flatMap(({ rows: list, title }) => [
    [],
    [title.toUpperCase(), ...heads],
    ...list.map(({ cells, what }) => [
      what,
      ...cells.map((cell, index) => (index > 0 && cell === cells[index - 1] ? '"' : cell))
    ])
  ])
  return printable([...aboutOf(comparison), ...columns(rows.slice(1), ""), ""].join("\n"))
}

/** Renders a comparison as JSON. */
export const renderComparisonJson = (comparison: Comparison | SettingComparison): string =>
  `${JSON.stringify(comparison, undefined, 2)}\n`
