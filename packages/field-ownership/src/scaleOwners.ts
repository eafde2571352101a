import type { KubeObject } from "@rollcall/api"
import { difference, type FieldSet, isMember } from "./fieldSet.ts"
import { entriesOf, noOwners, type OwnedFields, readOwners, withFields } from "./Managers.ts"

type Entries = KubeObject["metadata"]["managedFields"]
type FieldPath = ReadonlyArray<string>

/** The version of Scale in whose managedFields a write through the scale subresource is recorded. */
export const scaleVersion = "autoscaling/v1"

/** Where a Scale, and every built-in kind, has its replicas. */
export const replicasPath: FieldPath = ["spec", "replicas"]

const fieldSetOf = (path: FieldPath): FieldSet =>
  path.reduceRight<FieldSet>((below, name) => ({ [`f:${name}`]: below }), {})

const owns = ({ fields }: OwnedFields, path: FieldPath): boolean => {
  let node: FieldSet | undefined = fields
  for (const name of path) node = node?.[`f:${name}`]
  return node !== undefined && isMember(node)
}

/**
 * Returns the managedFields of the Scale of an object: the managers that own its replicas, which are at `path`. Upstream:
 * apimachinery/pkg/util/managedfields/scalehandler.go, ToSubresource.
 */
export const entriesOfScale = (entries: Entries, path: FieldPath): Entries => {
  const owners = [...(readOwners(entries) ?? noOwners).values()].filter((owned) => owns(owned, path))
  const fields = fieldSetOf(replicasPath)
  return entriesOf(owners.map((owned) => ({ ...owned, apiVersion: scaleVersion, fields })))
}

/**
 * Returns the managedFields of an object after a write of its Scale, whose managedFields are now `written`. An updater
 * that owned the replicas has them in an entry of its own then, without a time: its entry in the Scale names another
 * version. Upstream: scalehandler.go, ToParent.
 */
export const entriesAfterScale = (entries: Entries, written: Entries, path: FieldPath, apiVersion: string): Entries => {
  const before = readOwners(entries) ?? noOwners
  const added = new Map(readOwners(written) ?? noOwners)
  const result = new Map<string, OwnedFields>()
  const fields = fieldSetOf(path)
  for (const [identity, owned] of before) {
    const isKept = !owns(owned, path) || added.delete(identity)
    const rest = isKept ? owned : withFields(owned, difference(owned.fields, fields))
    if (rest !== undefined) result.set(identity, rest)
  }
  for (const [identity, owned] of added) {
    if (!owns(owned, replicasPath)) continue
    result.set(identity, { ...owned, apiVersion, fields, time: before.get(identity)?.time })
  }
  return entriesOf([...result.values()])
}
