import type { Pod } from "@rollcall/api"
import type { Audit, Identity } from "@rollcall/api-server"
import type { DeletedBy } from "../trace/TraceEntry.ts"

/** Remembers who asked for each pod's deletion, as an audit log would tell. */
export interface Deletions {
  readonly audit: Audit
  readonly deletedBy: (pod: Pod) => DeletedBy
  /** Who had the pod removed without waiting for its node; undefined: nobody, it has ended. */
  readonly forcedBy: (pod: Pod) => DeletedBy | undefined
}

const byAgent: ReadonlyArray<readonly [ending: string, by: DeletedBy]> = [
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

const causeOf = ({ user, userAgent }: Identity): DeletedBy | undefined => {
  if (user.startsWith("system:node:")) return undefined
  if (user === "system:kube-scheduler") return "preemption"
  return byAgent.find(([ending]) => userAgent.endsWith(ending))?.[1] ?? "user"
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
      // A kubelet's own delete only confirms what somebody else asked for.
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
