import { clock, plural, some, span } from "@rollcall/text"
import { during, type Finder, ofType } from "./Facts.ts"

/** Nodes that a cloud controller deleted, and what became of their pods. */
export const deletedNodes: Finder = ({ context, spells, trace }) => {
  const deleted = ofType(trace, "NodeDeleted")
  const clouds = spells.filter(({ what }) => what === "cloud-delete" || what === "cloud-deny")
  const found = deleted.filter(({ at, node }) => clouds.some((spell) => during(spell, node, at)))
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
      : ` ${plural(removed.length, "pod")} of ${found.length === 1 ? "it" : "them"} went by force ${span(Math.round(removed[0].at - first.at))} later (pod-gc waits 40s for a node to come back), whatever they tolerate.`
  const again = denied
    ? ` ${first.node} runs on all the same: ${back === undefined ? "it never came back" : `it came back at ${clock(back.at)}`}, for a kubelet makes its Node when it starts, and at no other time.`
    : ""
  const asks = context.podEviction === "deletion" ? "the node controller" : "the cloud node lifecycle controller"
  return [
    `${some(nodes)} ${found.length === 1 ? "was deleted" : "were deleted, the first"} at ${clock(first.at)}: ${asks} asks the cloud about each node that is not Ready, and the cloud said that there is no such machine.${pods}${again}`
  ]
}

const ending: ReadonlyArray<string> = ["cloud-delete", "crash", "poweroff"]

/** Drains that were not done when their machines went. */
export const outrun: Finder = ({ spells, trace }) =>
  spells
    .filter(({ what }) => what === "drain")
    .flatMap((drain) => {
      const end = spells.find(
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
            `When the machines went at ${clock(end.from)}, ${span(end.from - drain.from)} after the drain began, it had asked ${inTime.size} of ${inTime.size + late.size} pods to go: it takes one node after the other, and each pod waits until its disruption budget allows one more to be missing. The other ${late.size} had no grace at all; a budget holds up those who ask, not a machine that goes.`
          ]
    })
