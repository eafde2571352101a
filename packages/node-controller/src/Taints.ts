import { hasTaint, type Node, type Taint, taintNotReady, taintUnreachable } from "@rollcall/api"

/** The NoExecute pair: says that a node is not to be relied on. Never both at once, but for the instant of a swap. */
export const notReadyNoExecute: Taint = { key: taintNotReady, effect: "NoExecute" }
export const unreachableNoExecute: Taint = { key: taintUnreachable, effect: "NoExecute" }

/** Whether the node carries a taint of this key and effect. */
export const carriesTaint = (node: Node, taint: Taint): boolean => hasTaint(node, taint.key, taint.effect)

export const carriesNoExecutePair = (node: Node): boolean =>
  carriesTaint(node, unreachableNoExecute) || carriesTaint(node, notReadyNoExecute)
