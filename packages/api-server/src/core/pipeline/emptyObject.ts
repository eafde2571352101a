import { isKindName, type KindName, type KubeObject } from "@rollcall/api"
import { alwaysWrittenFields, wireTypeOf } from "@rollcall/api/wire"
import type { KindDefinition } from "../registry/KindDefinition.ts"

/** What can be scaled has a number of replicas inside Go; only in the API it may be absent. */
const scaled: ReadonlySet<KindName> = new Set(["Deployment", "ReplicaSet", "ReplicationController", "StatefulSet"])

/** Returns an object of the kind as Go writes one without any value. */
export const emptyObjectOf = ({ apiVersion, key, resource: { kind }, view }: KindDefinition): unknown => {
  const base = view?.of ?? key
  // A custom resource has no struct, and so not even metadata.
  if (!isKindName(base)) return { apiVersion, kind }
  const fields: Record<string, unknown> = Object.fromEntries(alwaysWrittenFields(wireTypeOf(base)))
  const spec = scaled.has(base) ? { spec: { ...Object(fields.spec), replicas: 0 } } : {}
  const empty: KubeObject = { apiVersion, kind, metadata: {}, ...fields, ...spec }
  return view === undefined ? empty : { ...view.fromStorage(empty), apiVersion, kind }
}
