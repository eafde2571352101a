import { matchingTolerations, minTolerationSeconds, type Taint } from "@rollcall/api"
import type { ClusterState, Invariant, Report } from "./Invariant.ts"

/** What `minTolerationSeconds` returns for tolerations without a time limit. */
const UNLIMITED = -1

/** Checks that a pod that tolerates every NoExecute taint its node ever had, without a time limit, is not evicted for taints. */
export const tolerance = (cluster: ClusterState, report: Report): Invariant => {
  /** The NoExecute taints that each node ever had. */
  const taints = new Map<string, Array<Taint>>()
  const record = (node: string, taint: Taint) => {
    const list = taints.get(node)
    if (list === undefined) taints.set(node, [taint])
    else if (!list.some(({ key, value }) => key === taint.key && value === taint.value)) list.push(taint)
  }
  return {
    entry: (entry) => {
      if ((entry.type === "TaintAdded" || entry.type === "TaintChanged") && entry.effect === "NoExecute") {
        record(entry.node, { key: entry.key, value: entry.value, effect: "NoExecute" })
      } else if (entry.type === "NodeDeleted") taints.delete(entry.node)
      else if (entry.type === "PodDeletionRequested" && entry.by === "taint-eviction") {
        const pod = cluster.pod(entry.namespace, entry.pod)
        // For a node that was tainted before the rehearsal began, only its current taints are known.
        for (const taint of cluster.node(entry.node)?.spec?.taints ?? []) {
          if (taint.effect === "NoExecute") record(entry.node, taint)
        }
        const used = matchingTolerations(taints.get(entry.node) ?? [], pod?.spec.tolerations)
        if (pod === undefined || used === undefined || used.length === 0) return
        if (minTolerationSeconds(used) === UNLIMITED) {
          report(
            `${entry.namespace}/${entry.pod} was evicted from ${entry.node} although it tolerates the node's taints without a time limit`
          )
        }
      }
    }
  }
}
