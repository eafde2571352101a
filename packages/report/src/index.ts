/** Reports on rehearsals, made from their results alone. */

export {
  type Comparison,
  compareReleases,
  compareSettings,
  renderComparison,
  renderComparisonJson,
  type SettingComparison
} from "./compare/comparison.ts"
export { type ComparedRun, rehearseValues } from "./compare/rehearseValues.ts"
export { renderHtml } from "./html/page.ts"
export { renderJson, renderNdjson, renderYaml } from "./machineFormats.ts"
export { checkReported, type Reported } from "./read/checkReported.ts"
export { type ReportFormat, renderEnd, renderOne, renderReported, reportFormats } from "./render.ts"
export { renderSideBySide } from "./sideBySide.ts"
export { renderTable } from "./table.ts"
