import type { ScenarioResult, TraceEntry } from "@rollcall/simulator/result"

/** What controls each pod, by namespace and name of the pod: `ReplicaSet/web-1`, or null where nothing does. */
export type Owners = ReadonlyMap<string, string | null>

export const noOwners: Owners = new Map()

/** The owners of the pods that were there when the run began, as far as its moves depend on them. */
export const initialOwners = ({ context }: ScenarioResult): Owners => new Map(Object.entries(context.owners))

/** A pod, or an owner, in its namespace: names repeat in others. */
export const inNamespace = (namespace: string, name: string): string => `${namespace}/${name}`

/** The owners of all pods of a run: those that were there when it began, and those that were made in it. */
export const ownersOf = (trace: ReadonlyArray<TraceEntry>, initial: Owners): Owners => {
  const owners = new Map(initial)
  for (const entry of trace) {
    if (entry.type === "PodCreated") owners.set(inNamespace(entry.namespace, entry.pod), entry.owner)
  }
  return owners
}
