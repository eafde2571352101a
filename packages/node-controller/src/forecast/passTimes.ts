import { getNodeCondition, nodeReady } from "@rollcall/api"
import type { ForecastNode } from "./ForecastNode.ts"
import { instantOfText } from "./signsOfLife.ts"

/** Times in the API are cut to whole seconds. */
const SECOND_MS = 1000

/** A condition that the controller wrote, and not a kubelet: a pass was under way. */
const WRITTEN = "NodeStatusUnknown"

/**
 * When the first pass is that may see what happened at an instant. Passes are a period apart, and each time at which the controller
 * made a node Unknown tells of one. Where nothing tells, one comes just as the first of the silent nodes is due.
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

/** Those that become Unknown within the second by which a pass's time is not known are seen by that one pass. */
export const seeTogether = (nodes: ReadonlyArray<ForecastNode>): void => {
  let nextMs = Number.POSITIVE_INFINITY
  for (const node of nodes.toSorted((left, right) => right.unknownAtMs - left.unknownAtMs)) {
    if (nextMs - node.unknownAtMs < SECOND_MS) node.unknownAtMs = nextMs
    nextMs = node.unknownAtMs
  }
}
