import type { LoadedObject } from "./objects.ts"
import { didYouMean } from "./Problem.ts"

const counted = ["Deployment", "StatefulSet", "ReplicaSet", "Service"]

interface Reference {
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

/** What is wrong with the name of a workload that replicas are counted of. */
export const workloadProblems = (
  { kind, name, namespace = "default" }: Reference,
  objects: ReadonlyArray<LoadedObject> | undefined
): ReadonlyArray<readonly [path: string, message: string]> => {
  if (!counted.includes(kind)) {
    return [["kind", `found "${kind}", expected ${counted.join(", ")}${didYouMean(kind, counted)}`]]
  }
  if (objects === undefined) return []
  const ofKind = objects.filter((loaded) => loaded.kind === kind).map(({ object: { metadata } }) => metadata)
  const here = ofKind.filter((metadata) => (metadata.namespace ?? "default") === namespace)
  if (here.some((metadata) => metadata.name === name)) return []
  const elsewhere = ofKind.find((metadata) => metadata.name === name)
  return elsewhere === undefined
    ? [
        [
          "name",
          `no ${kind} "${name}" in namespace ${namespace}${didYouMean(
            name,
            here.flatMap((metadata) => metadata.name ?? [])
          )}`
        ]
      ]
    : [["namespace", `no ${kind} "${name}" in namespace ${namespace}, but in ${elsewhere.namespace ?? "default"}`]]
}
