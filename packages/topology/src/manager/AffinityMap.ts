import { type AffinityStore, type TopologyHint, zeroHint } from "../hints.ts"

/** The merged hints of admitted containers, until their pod is gone. */
export interface AffinityMap extends AffinityStore {
  readonly set: (podUid: string, containerName: string, hint: TopologyHint) => void
  readonly remove: (podUid: string) => void
  /** Of one pod, by container. */
  readonly of: (podUid: string) => Readonly<Record<string, TopologyHint>>
}

export const makeAffinityMap = (): AffinityMap => {
  const pods = new Map<string, Map<string, TopologyHint>>()
  return {
    getAffinity: (podUid, containerName) => pods.get(podUid)?.get(containerName) ?? zeroHint,
    set: (podUid, containerName, hint) => {
      const held = pods.get(podUid)
      if (held === undefined) pods.set(podUid, new Map([[containerName, hint]]))
      else held.set(containerName, hint)
    },
    remove: (podUid) => {
      pods.delete(podUid)
    },
    of: (podUid) => Object.fromEntries(pods.get(podUid) ?? [])
  }
}
