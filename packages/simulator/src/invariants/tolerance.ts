import { matchingTolerations, minTolerationSeconds, type Taint } from "@rollcall/api"
import type { Invariant, Known, Report } from "./Invariant.ts"

const FOR_EVER = -1

/** A pod that tolerates for ever every NoExecute taint its node ever had is not evicted for taints. */
export const tolerance = (known: Known, report: Report): Invariant => {
  const taints = new Map<string, Array<Taint>>()
  const note = (node: string, taint: Taint) => {
    const list = taints.get(node)
    if (list === undefined) taints.set(node, [taint])
    else if (!list.some(({ key, value }) => key === taint.key && value === taint.value)) list.push(taint)
  }
  return {
    entry: (entry) => {
      if ((entry.type === "TaintAdded" || entry.type === "TaintChanged") && entry.effect === "NoExecute") {
        note(entry.node, { key: entry.key, value: entry.value, effect: "NoExecute" })
      } else if (entry.type === "NodeDeleted") taints.delete(entry.node)
      else if (entry.type === "PodDeletionRequested" && entry.by === "taint-eviction") {
        const pod = known.pod(entry.namespace, entry.pod)
        // A node that was tainted before the rehearsal began is known by what it has now.
        for (const taint of known.node(entry.node)?.spec?.taints ?? []) {
          if (taint.effect === "NoExecute") note(entry.node, taint)
        }
        const used = matchingTolerations(taints.get(entry.node) ?? [], pod?.spec.tolerations)
        if (pod === undefined || used === undefined || used.length === 0) return
        if (minTolerationSeconds(used) === FOR_EVER) {
          report(
            `${entry.namespace}/${entry.pod} is evicted from ${entry.node} although it tolerates its taints for ever`
          )
        }
      }
    }
  }
}
