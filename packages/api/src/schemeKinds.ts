import { type GroupVersionKind, type MessageType, wireTypes } from "./wire/index.ts"

/*
 * Kinds of Go's scheme that no path takes as an object: a body of one is decoded, and then refused because it cannot be
 * converted. Upstream: apimachinery/pkg/apis/meta/v1/register.go, AddToGroupVersion; api/core/v1/register.go.
 */

/** Kinds without a version of their own, which every group and version has, even an unknown one. */
const unversioned: ReadonlySet<string> = new Set([
  "Status",
  "APIVersions",
  "APIGroup",
  "APIGroupList",
  "APIResourceList"
])

/** Kinds that every group registers for its versions. */
const ofEachGroup: ReadonlySet<string> = new Set([
  "WatchEvent",
  "ListOptions",
  "GetOptions",
  "DeleteOptions",
  "CreateOptions",
  "UpdateOptions",
  "PatchOptions"
])

let registered: ReadonlySet<string> | undefined

/** Whether some kind of this group and version has a wire type. `meta.k8s.io` is not in that scheme. */
const isRegistered = ({ group, version }: GroupVersionKind): boolean => {
  registered ??= new Set(
    [...wireTypes()].flatMap(({ gvk }) => (gvk === undefined ? [] : `${gvk.group}/${gvk.version}`))
  )
  return group !== "meta.k8s.io" && registered.has(`${group}/${version}`)
}

/** Returns a type that accepts any fields, for a kind of the scheme without a wire type; undefined for other kinds. */
export const metaKindType = (found: GroupVersionKind): MessageType | undefined => {
  const { group, kind, version } = found
  const isList = kind === "List" && group === "" && version === "v1"
  if (!isList && !unversioned.has(kind) && !(ofEachGroup.has(kind) && isRegistered(found))) return undefined
  return anyFieldsType(kind, "v1")
}

const anyFieldsType = (kind: string, goPackage: string): MessageType => ({
  fullName: kind,
  name: kind,
  goPackage,
  fields: new Map(),
  atomic: false,
  preserveUnknown: true
})

/** Options of writes, which the scheme of options takes in any group and version. */
const optionsOfWrites: ReadonlySet<string> = new Set(["DeleteOptions", "CreateOptions", "UpdateOptions"])

const partial = ["Table", "TableOptions", "PartialObjectMetadata", "PartialObjectMetadataList"]

/** The other kinds of the scheme of options. */
const ofOptions: Readonly<Record<string, ReadonlySet<string>>> = {
  "meta.k8s.io/v1": new Set([...ofEachGroup, ...partial]),
  "meta.k8s.io/v1beta1": new Set(partial)
}

/**
 * The same as `metaKindType` for the bodies of deletes, which have a scheme of their own. Upstream:
 * apimachinery/pkg/apis/meta/internalversion/register.go, addToGroupVersion.
 */
export const optionsKindType = ({ group, kind, version }: GroupVersionKind): MessageType | undefined => {
  const isKnown = unversioned.has(kind) || optionsOfWrites.has(kind) || ofOptions[`${group}/${version}`]?.has(kind)
  if (isKnown !== true) return undefined
  // The list is the only kind that is not an alias of that of v1.
  const hasOwnType = version === "v1beta1" && kind === "PartialObjectMetadataList" && group === "meta.k8s.io"
  return anyFieldsType(kind, hasOwnType ? "v1beta1" : "v1")
}
