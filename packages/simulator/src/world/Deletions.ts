import type { Pod } from "@rollcall/api"
import type { Audit, Identity } from "@rollcall/api-server"
import type { DeletedBy } from "../trace/TraceEntry.ts"

/** The cause of each pod's deletion, from the requests in the audit. */
export interface Deletions {
  /** Records a request. */
  readonly audit: Audit
  /** Returns the cause of a pod's last deletion request; `user` if no request is known. */
  readonly deletedBy: (pod: Pod) => DeletedBy
  /**
   * Returns the cause of a deletion with grace period 0, and forgets that it was forced. Returns undefined if the pod was not
   * force-deleted.
   */
  readonly forcedBy: (pod: Pod) => DeletedBy | undefined
}

/** The cause of a deletion by the end of the User-Agent that requested it. */
const causeByAgent: ReadonlyArray<readonly [ending: string, by: DeletedBy]> = [
  ["device-taint-eviction-controller", "device-taint-eviction"],
  ["taint-eviction-controller", "taint-eviction"],
  ["node-lifecycle-controller", "node-controller"],
  ["pod-garbage-collector", "pod-gc"],
  ["replicaset-controller", "workload"],
  ["deployment-controller", "workload"],
  ["statefulset-controller", "workload"],
  ["daemon-set-controller", "workload"],
  ["job-controller", "workload"],
  ["generic-garbage-collector", "workload"],
  [" drain", "drain"]
]

/** Returns undefined for a kubelet, whose deletions only complete those of others. */
const causeOf = ({ user, userAgent }: Identity): DeletedBy | undefined => {
  if (user.startsWith("system:node:")) return undefined
  if (user === "system:kube-scheduler") return "preemption"
  return causeByAgent.find(([ending]) => userAgent.endsWith(ending))?.[1] ?? "user"
}

export const makeDeletions = (): Deletions => {
  const causes = new Map<string, DeletedBy>()
  const forced = new Set<string>()
  const keyOf = ({ metadata: { name = "", namespace = "" } }: Pod) => `${namespace}/${name}`
  return {
    audit: ({ code, identity, request }) => {
      if (request.verb === "create" && request.subresource === "eviction" && code < 400) {
        causes.set(`${request.namespace ?? ""}/${request.name}`, "drain")
        return
      }
      if (request.verb !== "delete" || request.kind !== "Pod" || code >= 400) return
      const cause = causeOf(identity)
      if (cause === undefined) return
      const key = `${request.namespace ?? ""}/${request.name}`
      causes.set(key, cause)
      if (request.options?.gracePeriodSeconds === 0) forced.add(key)
      else forced.delete(key)
    },
    deletedBy: (pod) => causes.get(keyOf(pod)) ?? "user",
    forcedBy: (pod) => (forced.delete(keyOf(pod)) ? causes.get(keyOf(pod)) : undefined)
  }
}
