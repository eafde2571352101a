/** A plan: as data, and as the text that `rollcall plan` prints. */
export interface Planned<Plan> {
  readonly plan: Plan
  /** What the input lacks, and what the plan therefore does not know. */
  readonly warnings: ReadonlyArray<string>
  /** The plan for people (`table`, the default) or for programs. */
  readonly report: (format?: "table" | "json") => string
}

/** Makes a plan from its data and its two renderers. */
export const planned = <Plan, Report>(
  plan: Plan,
  report: Report,
  warnings: ReadonlyArray<string>,
  render: { readonly table: (report: Report) => string; readonly json: (report: Report) => string }
): Planned<Plan> => ({ plan, warnings, report: (format = "table") => render[format](report) })
