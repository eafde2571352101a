import { formatTime } from "@rollcall/api"
import { columns, fold, gapLines, grouped } from "@rollcall/text"
import type { NodeForecast, PodForecast, StayReason, ZoneForecast } from "../EvictionForecast.ts"
import type { EvictionReport } from "./EvictionReport.ts"
import { nextRows } from "./evictionsNext.ts"
import { nodeRows } from "./evictionsNodes.ts"
import { formatDuration, formatRate, joinNames, nameOf, pluralize, podName, zoneName } from "./evictionsText.ts"

const stayTexts: Readonly<Record<StayReason, string>> = {
  "daemon-set": "a DaemonSet's: tolerates the taints of a lost node",
  static: "static: only its node's kubelet can stop it",
  tolerates: "tolerates the taint forever",
  "not-deleted": "a DaemonSet's: not deleted from its node",
  "node-waits": "its node is not tainted: see why above",
  "called-off": "no eviction is scheduled, or it is cancelled"
}

const endedByTexts: Readonly<Record<NonNullable<PodForecast["endedBy"]>, string>> = {
  kubelet: "its node's kubelet terminates it within its grace period",
  "pod-gc": "its node is out of service: the pod garbage collector removes it within 20s",
  "node-controller": "the node controller force-deletes it when its grace period has passed",
  nobody:
    "its node's kubelet is unreachable: it stays Terminating until the node is back, is deleted, or has the taint node.kubernetes.io/out-of-service"
}

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : ["", title, ...lines]

/** The reason for the rate of a zone. */
const rateReason = (
  { nodesPerSecond, notReady, ready, state, stoppedBy }: ZoneForecast,
  { settings }: EvictionReport
): string => {
  const size = ready + notReady
  const part = `${notReady} of ${size} not ready`
  const threshold = `at least ${settings.unhealthyZoneThreshold} of it`
  if (stoppedBy === "all-zones-down") {
    return "stopped: no node of any zone is ready, so the control plane itself may be cut off"
  }
  if (stoppedBy === "partial-disruption") {
    return `stopped: ${part}, ${threshold}, in a zone of at most ${settings.largeClusterSizeThreshold} nodes`
  }
  if (stoppedBy === "rate") return "stopped: the rate is 0"
  if (state === "PartialDisruption") {
    return `${formatRate(nodesPerSecond)}: ${part}, ${threshold}, in a zone of more than ${settings.largeClusterSizeThreshold} nodes`
  }
  return state === "FullDisruption"
    ? `${formatRate(nodesPerSecond)}, because other zones are not down`
    : formatRate(nodesPerSecond)
}

const zoneLines = (report: EvictionReport): ReadonlyArray<string> => {
  const rows = report.forecast.zones.map((zone) => [
    zoneName(zone),
    `${zone.ready} of ${zone.ready + zone.notReady}`,
    zone.state,
    zone.waiting.length === 0 ? "" : String(zone.waiting.length),
    rateReason(zone, report)
  ])
  return columns([["zone", "ready", "state", "waiting", "nodes are evicted"], ...rows])
}

interface PodOnNode {
  readonly node: NodeForecast
  readonly pod: PodForecast
}

/** If more nodes than this have pods with the same text, all share one line. */
const MAX_NODE_LINES = 6

/** Pods with the same text, each with its node. */
const podLines = (pods: ReadonlyArray<PodOnNode>, textOf: (pod: PodOnNode) => string): ReadonlyArray<string> =>
  grouped(pods, textOf).flatMap(([text, same]) => {
    const byNode = grouped(same, ({ node }) => nameOf(node))
    const lines =
      byNode.length > MAX_NODE_LINES
        ? [`${pluralize(same.length, "pod")} of ${joinNames(byNode.map(([node]) => node))}`]
        : byNode.map(([node, on]) => `${node}: ${joinNames(on.map(({ pod }) => podName(pod)))}`)
    return [...fold(text, 96).map((line) => `  ${line}`), ...lines.map((line) => `    ${line}`)]
  })

/** A deletion this long overdue is no longer in progress. */
const OVERDUE_MS = 15_000

const overdueLines = ({ forecast: { nodes, nowMs } }: EvictionReport): ReadonlyArray<string> =>
  nodes.some(({ pods }) => pods.some(({ deletedAtMs }) => nowMs - (deletedAtMs ?? nowMs) > OVERDUE_MS))
    ? fold(
        "Some deletions are long overdue: kube-controller-manager does not run, or cannot keep up. A new leader has no scheduled evictions, and counts every pod's toleration from the start.",
        96
      ).map((line) => `  ${line}`)
    : []

const headline = ({ requested, forecast: { nodes, nowMs }, gaps }: EvictionReport): string => {
  const isKnown = (kind: string) => gaps.every((gap) => gap.kind !== kind)
  const ofRequested = requested === undefined ? "" : ` of ${requested.length} requested`
  if (nodes.length === 0) {
    if (!isKnown("Lease")) return `As of ${formatTime(nowMs)}, no node${ofRequested} is known to be unhealthy.`
    const all = requested === undefined ? "all nodes are healthy" : "all requested nodes are healthy"
    return `As of ${formatTime(nowMs)}, ${all}: no pod is evicted because of its node.`
  }
  const summary = `As of ${formatTime(nowMs)}, ${pluralize(nodes.length, "node")}${ofRequested} ${nodes.length === 1 ? "is" : "are"} unhealthy.`
  if (!isKnown("Pod")) return `${summary} Which pods are evicted is not known.`
  const pods = nodes.flatMap((node) => node.pods)
  const of = (outcome: PodForecast["outcome"]) => pods.filter((pod) => pod.outcome === outcome)
  const last = Math.max(nowMs, ...of("deleted").map(({ deletedAtMs = nowMs }) => deletedAtMs))
  const deletedCount = of("deleted").length
  const within = deletedCount === 0 ? "" : ` within ${formatDuration(last - nowMs)}`
  return [
    summary,
    `If nothing changes, ${pluralize(deletedCount, "pod")} ${deletedCount === 1 ? "is" : "are"} deleted${within}, ${of("stays").length} ${of("stays").length === 1 ? "stays" : "stay"}, ${of("terminating").length} ${of("terminating").length === 1 ? "is" : "are"} terminating already.`
  ].join(" ")
}

/** Renders the forecast as a table. */
export const renderEvictionsTable = (report: EvictionReport): string => {
  const { nodes, nowMs } = report.forecast
  const deletes = report.settings.podEviction === "deletion"
  const podsOnNodes = nodes.flatMap((node) => node.pods.map((pod) => ({ node, pod })))
  const next = nextRows(report)
  return `${[
    ...fold(headline(report), 110),
    ...section("Zones", zoneLines(report)),
    ...section("Unhealthy nodes", columns(nodeRows(nodes, nowMs, deletes))),
    ...section("Next", next.length === 0 ? [] : [...columns([["in", "at", "what"], ...next]), ...overdueLines(report)]),
    ...section(
      "Terminating",
      podLines(
        podsOnNodes.filter(({ pod }) => pod.outcome === "terminating"),
        ({ pod }) => endedByTexts[pod.endedBy ?? "nobody"]
      )
    ),
    ...section(
      "Stays",
      podLines(
        podsOnNodes.filter(({ pod }) => pod.outcome === "stays"),
        ({ pod }) => stayTexts[pod.why ?? "called-off"]
      )
    ),
    ...section("Not known", gapLines(report.gaps))
  ].join("\n")}\n`
}
