import { type ReleaseName, releaseNames } from "@rollcall/api"
import type { ScenarioResult } from "../Result.ts"
import { columns, fold } from "../report/format.ts"
import { outageSections, type Section } from "./outage.ts"
import { gateRows, releaseRows } from "./releaseTable.ts"

/** Releases side by side: what they say, and what one outage came to under each. */
export interface Comparison {
  readonly apiVersion: "rollcall.dev/v1alpha1"
  readonly kind: "ReleaseComparison"
  readonly releases: ReadonlyArray<ReleaseName>
  /** The scenario that was rehearsed under each; absent: none was. */
  readonly scenario?: { readonly name: string; readonly description: string }
  readonly sections: ReadonlyArray<Section>
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
        sections: outageSections(rehearsed.results)
      })
})

/** For a person. A cell that says the same as the one before it is left as a quotation mark. */
export const renderComparison = ({ releases, scenario, sections }: Comparison): string => {
  const told = scenario === undefined ? [] : [scenario.name, ...fold(scenario.description), ""]
  const rows = sections.flatMap(({ rows: list, title }) => [
    [],
    [title.toUpperCase(), ...releases],
    ...list.map(({ cells, what }) => [
      what,
      ...cells.map((cell, index) => (index > 0 && cell === cells[index - 1] ? '"' : cell))
    ])
  ])
  return [...told, ...columns(rows.slice(1), ""), ""].join("\n")
}
