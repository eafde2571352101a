import { unknownName, type Wrong, wrongChoice } from "@rollcall/input"
import type { LoadedObject } from "./objects.ts"

const counted = ["Deployment", "StatefulSet", "ReplicaSet", "Service"]

interface Reference {
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

/** Objects that there will be, and the kinds of which nothing is known: a snapshot lacks them as a whole. */
export interface KnownObjects {
  readonly objects: ReadonlyArray<LoadedObject>
  readonly lacks: (kind: string) => boolean
}

/** What is wrong with the name of a workload that replicas are counted of. */
export const workloadProblems = (
  { kind, name, namespace = "default" }: Reference,
  known: KnownObjects | undefined
): ReadonlyArray<readonly [path: string, wrong: string | Wrong]> => {
  if (!counted.includes(kind)) {
    return [["kind", wrongChoice(kind, counted)]]
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
  return [["name", unknownName(none, name, names)]]
}
