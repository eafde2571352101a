/** Reports on rehearsals, made from their results alone. */

// A rehearsal, shown.

export { renderHtml } from "./html/page.ts"
export { renderSvg } from "./html/picture.ts"
export { renderJson, renderNdjson, renderYaml } from "./machineFormats.ts"
export { type ReportFormat, renderEnd, renderOne, renderReported } from "./render.ts"
export { renderSideBySide } from "./sideBySide.ts"
export { renderTable } from "./table.ts"

// A page that was made before, read again.

export { checkReported, type Reported } from "./read/checkReported.ts"

// Rehearsals side by side.

export {
  type Comparison,
  compareReleases,
  compareSettings,
  renderComparison,
  renderComparisonJson,
  type SettingComparison
} from "./compare/comparison.ts"
export { inTurnOrder } from "./compare/inTurnOrder.ts"
export { type ComparedRun, type RehearsalSeeds, rehearseValues } from "./compare/rehearseValues.ts"
