import { formatTime } from "@rollcall/api"
import { columns, fold, grouped, unseenLines } from "@rollcall/text"
import type { NodeForecast, PodForecast, StayReason, ZoneForecast } from "../EvictionForecast.ts"
import type { EvictionReport } from "./EvictionReport.ts"
import { nextRows } from "./evictionsNext.ts"
import { nodeRows } from "./evictionsNodes.ts"
import { count, nameOf, pace, podName, some, span, zoneName } from "./evictionsText.ts"

const stays: Readonly<Record<StayReason, string>> = {
  "daemon-set": "a DaemonSet's: tolerates every loss of its node",
  static: "static: its node's kubelet alone ends it",
  tolerates: "tolerates the taint for ever",
  "not-deleted": "a DaemonSet's: left on its node",
  "node-waits": "its node is not tainted: see why above",
  "called-off": "nothing is planned for it, or what was is called off"
}

const ends: Readonly<Record<NonNullable<PodForecast["endedBy"]>, string>> = {
  kubelet: "its node's kubelet knows, and is to end it within its grace period",
  "pod-gc": "its node is out of service: the pod garbage collector removes it within 20s",
  "node-controller": "the node controller removes it by force when its grace period is over",
  nobody:
    "its node's kubelet cannot be told: it stays Terminating until the node is back, is deleted, or has the taint node.kubernetes.io/out-of-service"
}

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : ["", title, ...lines]

/** Why a zone's nodes are acted on as fast as they are. */
const whyOf = (
  { nodesPerSecond, notReady, ready, state, stoppedBy }: ZoneForecast,
  { settings }: EvictionReport
): string => {
  const size = ready + notReady
  const part = `${notReady} of ${size} not ready`
  const threshold = `at least ${settings.unhealthyZoneThreshold} of it`
  if (stoppedBy === "all-zones-down") {
    return "stopped: no node of any zone is ready, so it is rather the control plane that is cut off"
  }
  if (stoppedBy === "partial-disruption") {
    return `stopped: ${part}, ${threshold}, in a zone of at most ${settings.largeClusterSizeThreshold} nodes`
  }
  if (stoppedBy === "rate") return "stopped: the rate is 0"
  if (state === "PartialDisruption") {
    return `${pace(nodesPerSecond)}: ${part}, ${threshold}, in a zone of more than ${settings.largeClusterSizeThreshold} nodes`
  }
  return state === "FullDisruption"
    ? `${pace(nodesPerSecond)}, as there are other zones that are not down`
    : pace(nodesPerSecond)
}

const zoneLines = (report: EvictionReport): ReadonlyArray<string> => {
  const rows = report.forecast.zones.map((zone) => [
    zoneName(zone),
    `${zone.ready} of ${zone.ready + zone.notReady}`,
    zone.state,
    zone.waiting.length === 0 ? "" : String(zone.waiting.length),
    whyOf(zone, report)
  ])
  return columns([["zone", "ready", "state", "waiting", "nodes are evicted"], ...rows])
}

interface Told {
  readonly node: NodeForecast
  readonly pod: PodForecast
}

/** More nodes than this share a line. */
const MOST_NODES = 6

/** Pods of which the same is to be said, each with its node. */
const podLines = (pods: ReadonlyArray<Told>, textOf: (told: Told) => string): ReadonlyArray<string> =>
  grouped(pods, textOf).flatMap(([text, same]) => {
    const byNode = grouped(same, ({ node }) => nameOf(node))
    const lines =
      byNode.length > MOST_NODES
        ? [`${count(same.length, "pod")} of ${some(byNode.map(([node]) => node))}`]
        : byNode.map(([node, on]) => `${node}: ${some(on.map(({ pod }) => podName(pod)))}`)
    return [...fold(text, 96).map((line) => `  ${line}`), ...lines.map((line) => `    ${line}`)]
  })

/** After so long nobody can be on the way to it any more. */
const OVERDUE_MS = 15_000

const overdueLines = ({ forecast: { nodes, nowMs } }: EvictionReport): ReadonlyArray<string> =>
  nodes.some(({ pods }) => pods.some(({ deletedAtMs }) => nowMs - (deletedAtMs ?? nowMs) > OVERDUE_MS))
    ? fold(
        "What is long due has not been done: kube-controller-manager does not work, or cannot keep up. A new leader has forgotten all plans, and every pod's time begins anew.",
        96
      ).map((line) => `  ${line}`)
    : []

const headline = ({ asked, forecast: { nodes, nowMs }, gaps }: EvictionReport): string => {
  const isKnown = (kind: string) => gaps.every((gap) => gap.kind !== kind)
  const which = asked === undefined ? "" : ` of ${asked.length} asked for`
  if (nodes.length === 0) {
    if (!isKnown("Lease")) return `As of ${formatTime(nowMs)}, no node${which} is known not to be well.`
    const all = asked === undefined ? "all nodes are well" : "all that were asked for are well"
    return `As of ${formatTime(nowMs)}, ${all}: no pod goes because of its node.`
  }
  const unwell = `As of ${formatTime(nowMs)}, ${count(nodes.length, "node")}${which} ${nodes.length === 1 ? "is" : "are"} not well.`
  if (!isKnown("Pod")) return `${unwell} Which pods go is not known.`
  const pods = nodes.flatMap((node) => node.pods)
  const of = (outcome: PodForecast["outcome"]) => pods.filter((pod) => pod.outcome === outcome)
  const last = Math.max(nowMs, ...of("deleted").map(({ deletedAtMs = nowMs }) => deletedAtMs))
  const will = of("deleted").length
  const within = will === 0 ? "" : ` within ${span(last - nowMs)}`
  return [
    unwell,
    `If nothing changes, ${count(will, "pod")} ${will === 1 ? "is" : "are"} deleted${within}, ${of("stays").length} ${of("stays").length === 1 ? "stays" : "stay"}, ${of("terminating").length} ${of("terminating").length === 1 ? "is" : "are"} terminating already.`
  ].join(" ")
}

/** The forecast for a person. */
export const renderEvictionsTable = (report: EvictionReport): string => {
  const { nodes, nowMs } = report.forecast
  const deletes = report.settings.podEviction === "deletion"
  const told = nodes.flatMap((node) => node.pods.map((pod) => ({ node, pod })))
  const next = nextRows(report)
  return `${[
    ...fold(headline(report), 110),
    ...section("Zones", zoneLines(report)),
    ...section("Nodes that are not well", columns(nodeRows(nodes, nowMs, deletes))),
    ...section("Next", next.length === 0 ? [] : [...columns([["in", "at", "what"], ...next]), ...overdueLines(report)]),
    ...section(
      "Terminating",
      podLines(
        told.filter(({ pod }) => pod.outcome === "terminating"),
        ({ pod }) => ends[pod.endedBy ?? "nobody"]
      )
    ),
    ...section(
      "Stays",
      podLines(
        told.filter(({ pod }) => pod.outcome === "stays"),
        ({ pod }) => stays[pod.why ?? "called-off"]
      )
    ),
    ...section("Not known", unseenLines(report.gaps))
  ].join("\n")}\n`
}
