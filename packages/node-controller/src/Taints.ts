import { hasTaint, type Node, type Taint, taintNotReady, taintUnreachable } from "@rollcall/api"

/** The NoExecute pair of an unhealthy node. A node never has both, except during a swap. */
export const notReadyNoExecute: Taint = { key: taintNotReady, effect: "NoExecute" }
export const unreachableNoExecute: Taint = { key: taintUnreachable, effect: "NoExecute" }

/** Whether the node has a taint with this key and effect. */
export const carriesTaint = (node: Node, taint: Taint): boolean => hasTaint(node, taint.key, taint.effect)

/** Whether the node has at least one of the NoExecute pair. */
export const carriesNoExecutePair = (node: Node): boolean =>
  carriesTaint(node, unreachableNoExecute) || carriesTaint(node, notReadyNoExecute)
