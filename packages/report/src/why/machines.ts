import { clock, plural, some, span } from "@rollcall/text"
import { type Finder, isDuring, ofType } from "./Facts.ts"

/** Explains the deletion of nodes by a cloud controller, and of their pods. */
export const deletedNodes: Finder = ({ context, faultSpans, trace }) => {
  const deleted = ofType(trace, "NodeDeleted")
  const cloudFaults = faultSpans.filter(({ what }) => what === "cloud-delete" || what === "cloud-deny")
  const found = deleted.filter(({ at, node }) => cloudFaults.some((fault) => isDuring(fault, node, at)))
  const [first] = found
  if (first === undefined) return []
  const nodes = found.map(({ node }) => node)
  const deletedNames = new Set(nodes)
  const removed = ofType(trace, "PodDeletionRequested").filter(
    ({ at, gracePeriodSeconds, node }) => deletedNames.has(node) && gracePeriodSeconds === 0 && at >= first.at
  )
  const denied = cloudFaults.some(({ nodes: affected, what }) => what === "cloud-deny" && affected.includes(first.node))
  const registered = ofType(trace, "NodeRegistered").find(({ at, node }) => node === first.node && at > first.at)
  const pods =
    removed[0] === undefined
      ? ""
      : ` ${plural(removed.length, "pod")} of ${found.length === 1 ? "it" : "them"} ${removed.length === 1 ? "was" : "were"} force-deleted ${span(Math.round(removed[0].at - first.at))} later (pod-gc waits 40s for a node to return), regardless of tolerations.`
  const registeredAgain = denied
    ? ` ${first.node} keeps running: ${registered === undefined ? "its Node was never registered again" : `its Node was registered again at ${clock(registered.at)}`}, because a kubelet registers its Node only when it starts.`
    : ""
  const controller = context.podEviction === "deletion" ? "the node controller" : "the cloud node lifecycle controller"
  return [
    `${some(nodes)} ${found.length === 1 ? "was deleted" : "were deleted, the first"} at ${clock(first.at)}: ${controller} asks the cloud about each node that is not Ready, and the cloud reported that the machine does not exist.${pods}${registeredAgain}`
  ]
}

/** The faults and actions that stop a machine. */
const stoppingFaults: ReadonlyArray<string> = ["cloud-delete", "crash", "poweroff"]

/** Explains drains that were not finished when their machines stopped. */
export const unfinishedDrains: Finder = ({ faultSpans, trace }) =>
  faultSpans
    .filter(({ what }) => what === "drain")
    .flatMap((drain) => {
      const end = faultSpans.find(
        ({ from, nodes, what }) =>
          stoppingFaults.includes(what) && from > drain.from && nodes.some((node) => drain.nodeSet.has(node))
      )
      if (end === undefined) return []
      const ofDrain = ofType(trace, "PodDeletionRequested").filter(({ node }) => drain.nodeSet.has(node))
      const inTime = new Set(ofDrain.filter(({ at, by }) => by === "drain" && at <= end.from).map(({ pod }) => pod))
      const late = new Set(ofDrain.map(({ pod }) => pod).filter((pod) => !inTime.has(pod)))
      return late.size === 0
        ? []
        : [
            `When the machines stopped at ${clock(end.from)}, ${span(end.from - drain.from)} after the drain began, it had evicted ${inTime.size} of ${inTime.size + late.size} pods: it drains one node after the other, and each pod waits until its disruption budget allows another disruption. The other ${late.size} had no grace period: a budget limits evictions, not the loss of a machine.`
          ]
    })
