import type { KubeObject, Node, Pod } from "@rollcall/api"

/** What the changes of pods and nodes say about an outage of the nodes whose names begin so. */
export const watchOutage = (lostPrefix: string) => {
  /** The times at which the deletion of each pod was asked for, by UID. */
  const deletions = new Map<string, { readonly name: string; readonly times: Set<string> }>()
  const ready = new Set<string>()
  const falselyNotReady = new Set<string>()
  let isLost = false
  const isReady = (node: Node) => node.status?.conditions?.find(({ type }) => type === "Ready")?.status === "True"
  return {
    deletions,
    ready,
    falselyNotReady,
    /** From now on nodes of the lost zone may be NotReady. */
    lose: () => {
      isLost = true
    },
    takePod: (object: KubeObject, type: string) => {
      const { metadata } = object as Pod
      const { deletionGracePeriodSeconds, deletionTimestamp, name = "", uid = "" } = metadata
      const entry = deletions.get(uid) ?? { name, times: new Set<string>() }
      // The deletion by which the kubelet ends the pod has no grace period, and a time of its own.
      const isEnd = type === "DELETED" || deletionGracePeriodSeconds === 0
      if (!isEnd && deletionTimestamp !== undefined) entry.times.add(deletionTimestamp)
      else if (isEnd && entry.times.size === 0) entry.times.add("at once")
      deletions.set(uid, entry)
    },
    takeNode: (object: KubeObject) => {
      const node = object as Node
      const { name = "" } = node.metadata
      if (isReady(node)) ready.add(name)
      else {
        if (ready.has(name) && !(isLost && name.startsWith(lostPrefix))) falselyNotReady.add(name)
        ready.delete(name)
      }
    }
  }
}
