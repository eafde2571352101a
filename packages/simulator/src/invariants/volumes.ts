import { matchesTerm, type Node, type PersistentVolume, type Pod } from "@rollcall/api"
import { claimsOfPod } from "@rollcall/volumes"
import type { ClusterState, Invariant, Report } from "./Invariant.ts"

/** The scheduler has observed a change of a node after this time at the latest. */
const OBSERVED_AFTER_SECONDS = 120

const nodeAffinityMatches = ({ spec }: PersistentVolume, node: Node): boolean => {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms
  return terms === undefined || terms.some((term) => matchesTerm(term)(node))
}

/**
 * Checks that a volume is bound to one claim, and that the scheduler binds a pod only to a node that can reach the volumes of its
 * claims. A node whose labels changed within the last `OBSERVED_AFTER_SECONDS` is not checked.
 */
export const volumes = (cluster: ClusterState, report: Report): Invariant => {
  const relabelledAt = new Map<string, number>()
  const unreachableVolume = (pod: Pod, node: Node): string | undefined => {
    for (const claim of claimsOfPod(pod)) {
      const volume = cluster.volume(cluster.claim(claim)?.spec?.volumeName ?? "")
      if (volume !== undefined && !nodeAffinityMatches(volume, node)) return volume.metadata.name
    }
    return undefined
  }
  return {
    node: (previous, next, atSeconds) => {
      if (previous === undefined || previous.metadata.labels === next?.metadata.labels) return
      relabelledAt.set(previous.metadata.name ?? "", atSeconds)
    },
    volume: (previous, next) => {
      const [before, after] = [previous?.spec?.claimRef?.uid, next?.spec?.claimRef?.uid]
      if (before === undefined || after === undefined || before === after) return
      report(`volume ${next?.metadata.name} was bound to claim ${after} while bound to claim ${before}`)
    },
    pod: (previous, next, atSeconds) => {
      const name = next?.spec.nodeName ?? ""
      if (previous === undefined || next?.spec.volumes === undefined || name === "") return
      if ((previous.spec.nodeName ?? "") !== "") return
      const since = relabelledAt.get(name)
      const node = cluster.node(name)
      if (node === undefined || (since !== undefined && atSeconds - since < OBSERVED_AFTER_SECONDS)) return
      const volume = unreachableVolume(next, node)
      if (volume !== undefined)
        report(`${next.metadata.name} was bound to ${name}, which cannot reach volume ${volume}`)
    }
  }
}
