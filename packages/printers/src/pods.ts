import type { Pod, TableRowCondition } from "@rollcall/api"
import { ageOf, humanDuration } from "@rollcall/api/printing"
import { ageColumn, column, nameColumn, type PrintedRow, type Printer, wideColumn } from "./Printer.ts"
import { type PodSummary, summarizePod } from "./podStatus.ts"

const completed = (reason: string, message: string): ReadonlyArray<TableRowCondition> => [
  { type: "Completed", status: "True", reason, message }
]

/** The row conditions by which kubectl recognizes completed pods. */
const conditions: Readonly<Record<string, ReadonlyArray<TableRowCondition>>> = {
  Succeeded: completed("Succeeded", "The pod has completed successfully."),
  Failed: completed("Failed", "The pod failed.")
}

const restartsText = ({ lastRestartMs, restarts }: PodSummary, nowMs: number): string =>
  restarts === 0 || Number.isNaN(lastRestartMs)
    ? String(restarts)
    : `${restarts} (${humanDuration(nowMs - lastRestartMs)} ago)`

const gatesText = ({ spec, status }: Pod): string => {
  const gates = spec.readinessGates ?? []
  if (gates.length === 0) return "<none>"
  const open = gates.filter(({ conditionType }) =>
    status?.conditions?.some((condition) => condition.type === conditionType && condition.status === "True")
  )
  return `${open.length}/${gates.length}`
}

/** Makes no cell: `row` makes all cells of a pod together. */
const noCell = () => undefined

const columns = [
  nameColumn,
  column("Ready", "string", "How many of the containers are ready.", noCell),
  column("Status", "string", "The state of the pod in one word.", noCell),
  column("Restarts", "string", "How often its containers were started anew, and when last.", noCell),
  ageColumn,
  wideColumn("IP", "string", "The pod's first address.", noCell),
  wideColumn("Node", "string", "Where the pod runs.", noCell),
  wideColumn("Nominated Node", "string", "Where room is being made for the pod.", noCell),
  wideColumn("Readiness Gates", "string", "How many of the conditions that others set are true.", noCell)
]

/** Upstream: pkg/printers/internalversion/printers.go, printPod. */
export const pods: Printer = {
  columns: columns.map(({ definition }) => definition),
  row(pod: Pod, nowMs: number): PrintedRow {
    const { metadata, spec, status } = pod
    const summary = summarizePod(pod)
    const cells = [
      metadata.name ?? "",
      `${summary.readyContainers}/${summary.totalContainers}`,
      summary.status,
      restartsText(summary, nowMs),
      ageOf(metadata.creationTimestamp, nowMs),
      (status?.podIPs?.[0]?.ip ?? status?.podIP) || "<none>",
      spec.nodeName || "<none>",
      status?.nominatedNodeName || "<none>",
      gatesText(pod)
    ]
    const over = conditions[status?.phase ?? ""]
    return over === undefined ? { cells } : { cells, conditions: over }
  }
}
