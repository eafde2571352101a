import { type AffinityStore, type TopologyHint, zeroHint } from "../hints.ts"

/** The merged hints of admitted containers, until their pod is removed. */
export interface AffinityMap extends AffinityStore {
  readonly set: (podUid: string, containerName: string, hint: TopologyHint) => void
  /** Drops the hints of all other pods. */
  readonly retainOnly: (podUids: ReadonlySet<string>) => void
  /** The hints of one pod, by container. */
  readonly of: (podUid: string) => Readonly<Record<string, TopologyHint>>
}

/** Makes an empty map. */
export const makeAffinityMap = (): AffinityMap => {
  const pods = new Map<string, Map<string, TopologyHint>>()
  return {
    getAffinity: (podUid, containerName) => pods.get(podUid)?.get(containerName) ?? zeroHint,
    set: (podUid, containerName, hint) => {
      const hints = pods.get(podUid)
      if (hints === undefined) pods.set(podUid, new Map([[containerName, hint]]))
      else hints.set(containerName, hint)
    },
    retainOnly: (podUids) => {
      for (const uid of pods.keys()) if (!podUids.has(uid)) pods.delete(uid)
    },
    of: (podUid) => Object.fromEntries(pods.get(podUid) ?? [])
  }
}
