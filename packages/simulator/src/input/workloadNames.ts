import { unknownAmong, type Wrong, wrongChoice } from "@rollcall/input"
import type { LoadedObject } from "./objects.ts"

/** The kinds whose replicas a rehearsal counts. */
const countedKinds = ["Deployment", "StatefulSet", "ReplicaSet", "Service"]

interface Reference {
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

/** The objects of a scenario. `lacks` returns whether its snapshot has no objects of a kind, so that their names are unknown. */
export interface KnownObjects {
  readonly objects: ReadonlyArray<LoadedObject>
  readonly lacks: (kind: string) => boolean
}

/** Returns the problem of a reference to a workload whose replicas an expectation counts: the field, and what is wrong there. */
export const workloadProblems = (
  { kind, name, namespace = "default" }: Reference,
  known: KnownObjects | undefined
): ReadonlyArray<readonly [path: string, wrong: string | Wrong]> => {
  if (!countedKinds.includes(kind)) {
    return [["kind", wrongChoice(kind, countedKinds)]]
  }
  if (known === undefined) return []
  const { lacks, objects } = known
  const ofKind = objects.filter((loaded) => loaded.kind === kind).map(({ object: { metadata } }) => metadata)
  const here = ofKind.filter((metadata) => (metadata.namespace ?? "default") === namespace)
  if (here.some((metadata) => metadata.name === name)) return []
  const elsewhere = ofKind.find((metadata) => metadata.name === name)
  const none = `no ${kind} "${name}" in namespace ${namespace}`
  if (elsewhere !== undefined) return [["namespace", `${none}, but in ${elsewhere.namespace ?? "default"}`]]
  if (lacks(kind)) return [["name", `${none}: the snapshot has no ${kind} at all; rollcall snapshot takes all kinds`]]
  const names = here.flatMap((metadata) => metadata.name ?? [])
  return [["name", unknownAmong(none, name, names)]]
}
