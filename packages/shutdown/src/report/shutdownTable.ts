import type { Pod } from "@rollcall/api"
import { columns, fold } from "@rollcall/text"
import type { ShutdownFinding } from "../lint/Finding.ts"
import type { PlannedPod, ShutdownPhase } from "../plan/planShutdown.ts"
import type { ShutdownReport } from "./ShutdownReport.ts"

/** The most pods that are listed for each phase and each finding; the others are counted. */
const MAX_LISTED_PODS = 12

const nameOf = ({ pod: { metadata } }: PlannedPod<Pod>): string =>
  metadata.namespace === undefined ? (metadata.name ?? "") : `${metadata.namespace}/${metadata.name ?? ""}`

/** Returns the text about the priorities that a phase serves. */
const rangeOf = ({ below, from }: ShutdownPhase<Pod>): string => {
  if (from === undefined) return below === undefined ? "all" : `below ${below}`
  if (below === undefined) return `${from} and above`
  if (below <= from) return "none"
  return below === from + 1 ? String(from) : `${from} to ${below - 1}`
}

const graceOf = ({ cutShort, graceSeconds, pod }: PlannedPod<Pod>): string =>
  cutShort
    ? `${graceSeconds}s of the ${pod.metadata.deletionGracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds}s it wants`
    : `${graceSeconds}s`

/**
 * Returns the rows of a phase's pods. `arePodsKnown` says whether a phase without pods has none, or none that are
 * known.
 */
const podRows = (
  { pods }: ShutdownPhase<Pod>,
  arePodsKnown: boolean
): ReadonlyArray<readonly [pod: string, grace: string]> => {
  if (pods.length === 0) return [[arePodsKnown ? "nobody: skipped" : "", ""]]
  const shown = pods.slice(0, pods.length > MAX_LISTED_PODS ? MAX_LISTED_PODS - 1 : MAX_LISTED_PODS)
  const rows = shown.map((each) => [nameOf(each), graceOf(each)] as const)
  return shown.length === pods.length ? rows : [...rows, [`and ${pods.length - shown.length} more`, ""]]
}

/** Returns the phases with the times that they have if each has pods, since none is known to have none. */
const withLatestTimes = (phases: ReadonlyArray<ShutdownPhase<Pod>>): ReadonlyArray<ShutdownPhase<Pod>> => {
  let endSeconds = 0
  return phases.map((phase) => {
    const startSeconds = endSeconds
    endSeconds += Math.max(0, phase.shutdownGracePeriodSeconds)
    return { ...phase, startSeconds, endSeconds }
  })
}

const phaseRows = (phase: ShutdownPhase<Pod>, arePodsKnown: boolean): ReadonlyArray<ReadonlyArray<string>> =>
  podRows(phase, arePodsKnown).map(([pod, grace], index) =>
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
  const start = node === "" ? "A shutdown of the node" : `A shutdown of node ${node}`
  if (!plan.graceful)
    return `${start} (Kubernetes ${release.name}) is not graceful: it does not wait for pods to terminate.`
  const podsText = pods === undefined ? "" : ` for its ${pods.length} ${pods.length === 1 ? "pod" : "pods"}`
  const longestSeconds =
    pods === undefined ? (withLatestTimes(plan.phases).at(-1)?.endSeconds ?? 0) : plan.longestSeconds
  return `${start} (Kubernetes ${release.name}) takes at most ${longestSeconds}s${podsText}.`
}

const logind = ({ plan }: ShutdownReport): string =>
  plan.overridesDelay
    ? `logind must allow a delay of ${plan.delaySeconds}s. It allows ${plan.inhibitDelaySeconds}s, so the kubelet overrides its limit.`
    : `logind must allow a delay of ${plan.delaySeconds}s, and allows ${plan.inhibitDelaySeconds}s.`

const findingLines = ({ code, message, pods = [], severity, subject }: ShutdownFinding): ReadonlyArray<string> => {
  const shown = pods.slice(0, MAX_LISTED_PODS)
  const moreText = pods.length > shown.length ? ` and ${pods.length - shown.length} more` : ""
  return [
    `  ${severity}  ${subject}  (${code})`,
    ...fold(message, 96).map((line) => `    ${line}`),
    ...(shown.length === 0 ? [] : fold(`${shown.join(", ")}${moreText}`, 94).map((line) => `      ${line}`))
  ]
}

/** Renders the plan and its findings as a table. */
export const renderShutdownTable = (report: ShutdownReport): string => {
  const { findings, plan, pods } = report
  const phases = pods === undefined ? withLatestTimes(plan.phases) : plan.phases
  const rows = phases.flatMap((phase) => phaseRows(phase, pods !== undefined))
  const table =
    plan.phases.length === 0
      ? []
      : [logind(report), "", ...columns([["from", "to", "priority", "seconds", "pod", "grace"], ...rows])]
  const findingsText =
    findings.length === 0 ? ["", "Nothing surprising."] : ["", "Findings", ...findings.flatMap(findingLines)]
  return `${[headline(report), ...table, ...findingsText].join("\n")}\n`
}
