import { clock, plural, some, span } from "@rollcall/text"
import { during, type Finder, ofType } from "./Facts.ts"

/** Nodes that a cloud controller deleted, and the deletion of their pods. */
export const deletedNodes: Finder = ({ context, faultSpans, trace }) => {
  const deleted = ofType(trace, "NodeDeleted")
  const clouds = faultSpans.filter(({ what }) => what === "cloud-delete" || what === "cloud-deny")
  const found = deleted.filter(({ at, node }) => clouds.some((fault) => during(fault, node, at)))
  const [first] = found
  if (first === undefined) return []
  const nodes = found.map(({ node }) => node)
  const gone = new Set(nodes)
  const removed = ofType(trace, "PodDeletionRequested").filter(
    ({ at, gracePeriodSeconds, node }) => gone.has(node) && gracePeriodSeconds === 0 && at >= first.at
  )
  const denied = clouds.some(({ nodes: of, what }) => what === "cloud-deny" && of.includes(first.node))
  const back = ofType(trace, "NodeRegistered").find(({ at, node }) => node === first.node && at > first.at)
  const pods =
    removed[0] === undefined
      ? ""
      : ` ${plural(removed.length, "pod")} of ${found.length === 1 ? "it" : "them"} ${removed.length === 1 ? "was" : "were"} force-deleted ${span(Math.round(removed[0].at - first.at))} later (pod-gc waits 40s for a node to return), regardless of tolerations.`
  const again = denied
    ? ` ${first.node} keeps running: ${back === undefined ? "its Node was never registered again" : `its Node was registered again at ${clock(back.at)}`}, because a kubelet registers its Node only when it starts.`
    : ""
  const asks = context.podEviction === "deletion" ? "the node controller" : "the cloud node lifecycle controller"
  return [
    `${some(nodes)} ${found.length === 1 ? "was deleted" : "were deleted, the first"} at ${clock(first.at)}: ${asks} asks the cloud about each node that is not Ready, and the cloud reported that the machine does not exist.${pods}${again}`
  ]
}

const ending: ReadonlyArray<string> = ["cloud-delete", "crash", "poweroff"]

/** Drains that were not finished when their machines stopped. */
export const unfinishedDrains: Finder = ({ faultSpans, trace }) =>
  faultSpans
    .filter(({ what }) => what === "drain")
    .flatMap((drain) => {
      const end = faultSpans.find(
        ({ from, nodes, what }) =>
          ending.includes(what) && from > drain.from && nodes.some((node) => drain.on.has(node))
      )
      if (end === undefined) return []
      const ofDrain = ofType(trace, "PodDeletionRequested").filter(({ node }) => drain.on.has(node))
      const inTime = new Set(ofDrain.filter(({ at, by }) => by === "drain" && at <= end.from).map(({ pod }) => pod))
      const late = new Set(ofDrain.map(({ pod }) => pod).filter((pod) => !inTime.has(pod)))
      return late.size === 0
        ? []
        : [
            `When the machines stopped at ${clock(end.from)}, ${span(end.from - drain.from)} after the drain began, it had evicted ${inTime.size} of ${inTime.size + late.size} pods: it drains one node after the other, and each pod waits until its disruption budget allows another disruption. The other ${late.size} had no grace period: a budget limits evictions, not the loss of a machine.`
          ]
    })
