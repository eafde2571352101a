import type { ScenarioResult, TraceEntry } from "@rollcall/simulator/result"

/** The controller of each pod (`ReplicaSet/web-1`, or null), by the pod's namespace and name. */
export type Owners = ReadonlyMap<string, string | null>

export const noOwners: Owners = new Map()

/** Returns the owners of the initial pods that a result states: those of workloads that lost a pod. */
export const initialOwners = ({ context }: ScenarioResult): Owners => new Map(Object.entries(context.owners))

/** Returns the key `namespace/name` of a pod or an owner. */
export const inNamespace = (namespace: string, name: string): string => `${namespace}/${name}`

/** Returns the owners of all pods of a run: the initial ones and those in its trace. */
export const ownersOf = (trace: ReadonlyArray<TraceEntry>, initial: Owners): Owners => {
  const owners = new Map(initial)
  for (const entry of trace) {
    if (entry.type === "PodCreated") owners.set(inNamespace(entry.namespace, entry.pod), entry.owner)
  }
  return owners
}
