import { type KindName, kinds, type Resource } from "@rollcall/api"
import { wireTypeOfGvk } from "@rollcall/api/wire"
import type { OpenApiKind, OpenApiSubresource } from "../src/index.ts"

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
const parts = ["get", "patch", "update"]
const connection = ["create", "delete", "get", "patch", "update"]

/** Subresources by the plural of their resource: with a body of their own kind, of another, or of none. */
const subresources = ({ group, kind, plural, version }: Resource): ReadonlyArray<OpenApiSubresource> => {
  const gvk = { group, version, kind }
  const status = { name: "status", verbs: parts, gvk }
  switch (plural) {
    case "namespaces":
      return [{ name: "finalize", verbs: ["update"], gvk }, status]
    case "nodes":
      return [
        { name: "proxy", verbs: connection, isConnected: true, gvk: { ...gvk, kind: "NodeProxyOptions" } },
        status
      ]
    case "pods":
      return [
        { name: "eviction", verbs: ["create"], gvk: { group: "policy", version: "v1", kind: "Eviction" } },
        { name: "log", verbs: ["get"], gvk },
        status
      ]
    default:
      return [status]
  }
}

/** The description of a resource, by its wire type. */
export const kindOfResource = (resource: Resource): OpenApiKind => {
  const { group, kind, namespaced, plural, version } = resource
  const type = wireTypeOfGvk({ group, version, kind })
  if (type === undefined) throw new Error(`${kind} has no wire type`)
  const selectable: ReadonlyArray<string> = []
  const rest = { isCustom: false, selectable, deleteReturnsObject: false, subresources: subresources(resource) }
  return { group, version, kind, plural, namespaced, verbs, shape: { type }, ...rest }
}

/** The descriptions of Kubernetes' kinds. */
export const builtInKinds = (): ReadonlyArray<OpenApiKind> =>
  Object.keys(kinds).map((name) => kindOfResource(kinds[name as KindName].resource))
