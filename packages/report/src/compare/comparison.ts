import { type ReleaseName, releaseNames } from "@rollcall/api"
import type { ScenarioResult } from "@rollcall/simulator/result"
import { columns, fold, printable } from "@rollcall/text"
import { type Column, outageSections, type Section } from "./outage.ts"
import { gateRows, releaseRows } from "./releaseTable.ts"

interface Compared {
  readonly apiVersion: "rollcall.dev/v1alpha1"
  /** The scenario that was rehearsed for each column; absent: none was. */
  readonly scenario?: { readonly name: string; readonly description: string }
  readonly sections: ReadonlyArray<Section>
}

/** Releases side by side: what they say, and what one outage came to under each. */
export interface Comparison extends Compared {
  readonly kind: "ReleaseComparison"
  readonly releases: ReadonlyArray<ReleaseName>
}

/** One outage with several values of a setting. */
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

/** Puts releases side by side; with results of one scenario under each, what these came to instead of what the releases say. */
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

/** Puts side by side what one scenario came to with each value of a setting, each rehearsed with the same seeds. */
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
  const told = [scenario.name, ...fold(scenario.description)]
  if (kind === "ReleaseComparison") return [...told, ""]
  const { seeds, setting } = comparison
  const which = seeds.length === 1 ? `seed ${seeds[0]}` : `${seeds.length} seeds, ${seeds[0]} to ${seeds.at(-1)}`
  return [...told, "", `${setting}, with ${which}`, ""]
}

/** For a person. A cell that says the same as the one before it is left as a quotation mark. */
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

/** For a program. */
export const renderComparisonJson = (comparison: Comparison | SettingComparison): string =>
  `${JSON.stringify(comparison, undefined, 2)}\n`
