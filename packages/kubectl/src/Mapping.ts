import type { KubeObject } from "@rollcall/api"

/** A resource of the server, with its names. */
export interface Mapping {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: ReadonlyArray<string>
  readonly namespaced: boolean
  readonly categories: ReadonlyArray<string>
}

export const apiVersionOf = ({ group, version }: Pick<Mapping, "group" | "version">): string =>
  group === "" ? version : `${group}/${version}`

/** Returns the name of a kind in output lines: `pod`, `deployment.apps`. */
export const kindText = ({ group, kind }: Pick<Mapping, "group" | "kind">): string => {
  const lower = kind.toLowerCase()
  return group === "" ? lower : `${lower}.${group}`
}

/** Returns the URL path of the objects in a namespace; without a namespace, of all objects. */
export const collectionPath = (mapping: Mapping, namespace: string | undefined): string => {
  const root = mapping.group === "" ? `/api/${mapping.version}` : `/apis/${apiVersionOf(mapping)}`
  return mapping.namespaced && namespace !== undefined
    ? `${root}/namespaces/${encodeURIComponent(namespace)}/${mapping.plural}`
    : `${root}/${mapping.plural}`
}

export const objectPath = (mapping: Mapping, namespace: string, name: string, subresource = ""): string =>
  `${collectionPath(mapping, namespace)}/${encodeURIComponent(name)}${subresource === "" ? "" : `/${subresource}`}`

/** Returns the name of an object in output lines: `pod/web`, `deployment.apps/web`. */
export const objectText = (mapping: Pick<Mapping, "group" | "kind">, object: Pick<KubeObject, "metadata">): string =>
  `${kindText(mapping)}/${object.metadata.name ?? ""}`
