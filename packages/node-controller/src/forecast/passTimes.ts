import { getNodeCondition, nodeReady } from "@rollcall/api"
import type { ForecastNode } from "./ForecastNode.ts"
import { instantOfText } from "./signsOfLife.ts"

/** Times in the API are cut to whole seconds. */
const API_TIME_STEP_MS = 1000

/** The reason of a condition that the controller wrote, not a kubelet: a pass was running then. */
const WRITTEN_BY_CONTROLLER = "NodeStatusUnknown"

/**
 * Returns a function from an instant to the time of the first pass that may see an event of that instant, in
 * milliseconds since the Unix epoch. Passes are one period apart, and each time at which
 * the controller made a node Unknown is the time of one. Without such a time, a pass runs exactly when the first of
 * the silent nodes is due.
 */
export const passAfterOf = (nodes: ReadonlyArray<ForecastNode>, periodMs: number): ((atMs: number) => number) => {
  let knownMs = Number.NEGATIVE_INFINITY
  let firstMs = Number.POSITIVE_INFINITY
  for (const node of nodes) {
    const condition = getNodeCondition(node.current, nodeReady)
    if (condition?.reason === WRITTEN_BY_CONTROLLER)
      knownMs = Math.max(knownMs, instantOfText(condition.lastTransitionTime) ?? knownMs)
    else if (node.silent) firstMs = Math.min(firstMs, node.probeMs)
  }
  const isKnown = knownMs > Number.NEGATIVE_INFINITY
  const phaseMs = isKnown ? knownMs : firstMs
  if (!Number.isFinite(phaseMs)) return (atMs) => atMs
  const slackMs = isKnown ? API_TIME_STEP_MS : 0
  return (atMs) => Math.max(atMs, phaseMs + Math.ceil((atMs - phaseMs - slackMs) / periodMs) * periodMs)
}

/** Nodes that become Unknown within the one second of uncertainty about a pass's time are seen by the same pass. */
export const alignToPass = (nodes: ReadonlyArray<ForecastNode>): void => {
  let nextMs = Number.POSITIVE_INFINITY
  for (const node of nodes.toSorted((left, right) => right.unknownAtMs - left.unknownAtMs)) {
    if (nextMs - node.unknownAtMs < API_TIME_STEP_MS) node.unknownAtMs = nextMs
    nextMs = node.unknownAtMs
  }
}
