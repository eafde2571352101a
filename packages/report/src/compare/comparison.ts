import { type ReleaseName, releaseNames } from "@rollcall/api"
import type { ScenarioResult } from "@rollcall/simulator/result"
import { columns, fold, printable } from "@rollcall/text"
import { type Column, type ComparisonSection, outageSections } from "./outage.ts"
import { gateRows, releaseRows } from "./releaseTable.ts"

/** What both kinds of comparison have. */
interface ComparisonBase {
  readonly apiVersion: "rollcall.dev/v1alpha1"
  /** The scenario that was rehearsed for each column; absent if nothing was rehearsed. */
  readonly scenario?: { readonly name: string; readonly description: string }
  readonly sections: ReadonlyArray<ComparisonSection>
}

/** A comparison of releases: of their properties, or of the results of one scenario under each. */
export interface Comparison extends ComparisonBase {
  readonly kind: "ReleaseComparison"
  readonly releases: ReadonlyArray<ReleaseName>
}

/** A comparison of the results of one scenario with several values of a setting. */
export interface SettingComparison extends ComparisonBase {
  readonly kind: "SettingComparison"
  /** The setting's path in the scenario. */
  readonly setting: string
  readonly values: ReadonlyArray<string>
  /** The seeds that each value was rehearsed with. */
  readonly seeds: ReadonlyArray<number>
}

/** The results of one scenario under each of several releases. */
export interface RehearsedReleases {
  readonly description: string
  /** In the order of the releases. */
  readonly results: ReadonlyArray<ScenarioResult>
}

/** Compares the properties of releases, or, if `rehearsed` is given, the results of one scenario under each. */
export const compareReleases = (
  names: ReadonlyArray<ReleaseName> = releaseNames,
  rehearsed?: RehearsedReleases
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

/** Returns the headings of the columns. */
const columnHeadings = (comparison: Comparison | SettingComparison): ReadonlyArray<string> =>
  comparison.kind === "ReleaseComparison" ? comparison.releases : comparison.values

/** Returns the lines above the table: the scenario and, for a setting, its path and the seeds. */
const introduction = (comparison: Comparison | SettingComparison): ReadonlyArray<string> => {
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
  const heads = columnHeadings(comparison)
  const rows = comparison.sections.flatMap(({ rows: list, title }) => [
    [],
    [title.toUpperCase(), ...heads],
    ...list.map(({ cells, what }) => [
      what,
      ...cells.map((cell, index) => (index > 0 && cell === cells[index - 1] ? '"' : cell))
    ])
  ])
  return printable([...introduction(comparison), ...columns(rows.slice(1), ""), ""].join("\n"))
}

/** Renders a comparison as JSON. */
export const renderComparisonJson = (comparison: Comparison | SettingComparison): string =>
  `${JSON.stringify(comparison, undefined, 2)}\n`
