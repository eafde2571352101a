export { formatProblem, InvalidInput, invalid, type Problem } from "@rollcall/input"
export {
  type Comparison,
  compareReleases,
  compareSettings,
  renderComparison,
  type SettingComparison
} from "./compare/comparison.ts"
export { type LoadOptions, loadScenarios, type Plan } from "./input/load.ts"
export { type LoadedObject, loadObjects } from "./input/objects.ts"
export { ScenarioDocument } from "./input/Scenario.ts"
export { type LoadTextOptions, loadScenarioText } from "./input/text.ts"
export type { BrokenInvariant } from "./invariants/Invariant.ts"
export type { EventRecord, ScenarioResult } from "./Result.ts"
export { rehearse } from "./rehearse.ts"
export { renderBeside } from "./report/beside.ts"
export { clock, columns, fold } from "./report/format.ts"
export { type Reported, renderHtml } from "./report/html/page.ts"
export { renderJson, renderYaml } from "./report/machine.ts"
export type { ReportContext } from "./report/ReportContext.ts"
export { renderTable } from "./report/table.ts"
export { type SimulateOptions, type Simulation, simulate } from "./Simulation.ts"
export type { TraceEntry, TraceFields, TraceType } from "./trace/TraceEntry.ts"
