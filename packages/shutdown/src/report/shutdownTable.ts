import { columns, fold } from "@rollcall/text"
import type { ShutdownFinding } from "../lint/Finding.ts"
import type { PlannedPod, ShutdownPhase } from "../plan/planShutdown.ts"
import type { ShutdownReport } from "./ShutdownReport.ts"

/** Pods listed per phase; the rest are counted. */
const MOST_PODS = 12

const nameOf = ({ pod: { metadata } }: PlannedPod): string =>
  metadata.namespace === undefined ? (metadata.name ?? "") : `${metadata.namespace}/${metadata.name ?? ""}`

/** The priorities that a phase serves. */
const rangeOf = ({ below, from }: ShutdownPhase): string => {
  if (from === undefined) return below === undefined ? "all" : `below ${below}`
  if (below === undefined) return `${from} and above`
  if (below <= from) return "none"
  return below === from + 1 ? String(from) : `${from} to ${below - 1}`
}

const graceOf = ({ cutShort, graceSeconds, pod }: PlannedPod): string =>
  cutShort
    ? `${graceSeconds}s of the ${pod.metadata.deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds}s it wants`
    : `${graceSeconds}s`

const podRows = ({ pods }: ShutdownPhase, known: boolean): ReadonlyArray<readonly [pod: string, grace: string]> => {
  if (pods.length === 0) return [[known ? "nobody: skipped" : "", ""]]
  const shown = pods.slice(0, pods.length > MOST_PODS ? MOST_PODS - 1 : MOST_PODS)
  const rows = shown.map((one) => [nameOf(one), graceOf(one)] as const)
  return shown.length === pods.length ? rows : [...rows, [`and ${pods.length - shown.length} more`, ""]]
}

const phaseRows = (phase: ShutdownPhase, known: boolean): ReadonlyArray<ReadonlyArray<string>> =>
  podRows(phase, known).map(([pod, grace], index) =>
    index === 0
      ? [
          `${phase.startSeconds}s`,
          `${phase.endSeconds}s`,
          rangeOf(phase),
          `${phase.shutdownGracePeriodSeconds}s`,
          pod,
          grace
        ]
      : ["", "", "", "", pod, grace]
  )

const headline = ({ node, plan, pods, release }: ShutdownReport): string => {
  const what = node === "" ? "A shutdown of the node" : `A shutdown of node ${node}`
  if (!plan.graceful)
    return `${what} (Kubernetes ${release.name}) is not graceful: it does not wait for pods to terminate.`
  const rest = pods === undefined ? "" : ` for its ${pods.length} ${pods.length === 1 ? "pod" : "pods"}`
  const most =
    pods === undefined
      ? plan.phases.reduce((sum, phase) => sum + Math.max(0, phase.shutdownGracePeriodSeconds), 0)
      : plan.longestSeconds
  return `${what} (Kubernetes ${release.name}) takes at most ${most}s${rest}.`
}

const logind = ({ plan }: ShutdownReport): string =>
  plan.overridesDelay
    ? `logind must allow a delay of ${plan.delaySeconds}s. It allows ${plan.inhibitDelaySeconds}s, so the kubelet overrides its limit.`
    : `logind must allow a delay of ${plan.delaySeconds}s, and allows ${plan.inhibitDelaySeconds}s.`

const findingLines = ({ code, message, pods = [], severity, subject }: ShutdownFinding): ReadonlyArray<string> => {
  const shown = pods.slice(0, MOST_PODS)
  const more = pods.length > shown.length ? ` and ${pods.length - shown.length} more` : ""
  return [
    `  ${severity}  ${subject}  (${code})`,
    ...fold(message, 96).map((line) => `    ${line}`),
    ...(shown.length === 0 ? [] : fold(`${shown.join(", ")}${more}`, 94).map((line) => `      ${line}`))
  ]
}

/** Renders the plan and its findings as a table. */
export const renderShutdownTable = (report: ShutdownReport): string => {
  const { findings, plan, pods } = report
  const rows = plan.phases.flatMap((phase) => phaseRows(phase, pods !== undefined))
  const table =
    plan.phases.length === 0
      ? []
      : [logind(report), "", ...columns([["from", "to", "priority", "seconds", "pod", "grace"], ...rows])]
  const found =
    findings.length === 0 ? ["", "Nothing surprising."] : ["", "Findings", ...findings.flatMap(findingLines)]
  return `${[headline(report), ...table, ...found].join("\n")}\n`
}
