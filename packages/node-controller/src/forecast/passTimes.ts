import { getNodeCondition, nodeReady } from "@rollcall/api"
import type { ForecastNode } from "./ForecastNode.ts"
import { instantOfText } from "./signsOfLife.ts"

/** Times in the API are cut to whole seconds. */
const SECOND_MS = 1000

/** The reason of a condition that the controller wrote, not a kubelet: a pass was running then. */
const WRITTEN = "NodeStatusUnknown"

/**
 * When the first pass runs that may see an event at an instant. Passes are one period apart, and each time at which
 * the controller made a node Unknown is the time of one. Without such a time, a pass runs exactly when the first of
 * the silent nodes is due.
 */
export const passTimes = (nodes: ReadonlyArray<ForecastNode>, periodMs: number): ((atMs: number) => number) => {
  let knownMs = Number.NEGATIVE_INFINITY
  let firstMs = Number.POSITIVE_INFINITY
  for (const node of nodes) {
    const condition = getNodeCondition(node.current, nodeReady)
    if (condition?.reason === WRITTEN)
      knownMs = Math.max(knownMs, instantOfText(condition.lastTransitionTime) ?? knownMs)
    else if (node.silent) firstMs = Math.min(firstMs, node.probeMs)
  }
  const isKnown = knownMs > Number.NEGATIVE_INFINITY
  const phaseMs = isKnown ? knownMs : firstMs
  if (!Number.isFinite(phaseMs)) return (atMs) => atMs
  const slackMs = isKnown ? SECOND_MS : 0
  return (atMs) => Math.max(atMs, phaseMs + Math.ceil((atMs - phaseMs - slackMs) / periodMs) * periodMs)
}

/** Nodes that become Unknown within the one second of uncertainty about a pass's time are seen by the same pass. */
export const alignToPass = (nodes: ReadonlyArray<ForecastNode>): void => {
  let nextMs = Number.POSITIVE_INFINITY
  for (const node of nodes.toSorted((left, right) => right.unknownAtMs - left.unknownAtMs)) {
    if (nextMs - node.unknownAtMs < SECOND_MS) node.unknownAtMs = nextMs
    nextMs = node.unknownAtMs
  }
}
