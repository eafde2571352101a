import type { KubeObject, ObjectMeta } from "@rollcall/api"

type Field = keyof ObjectMeta

/** Returns an object with these fields of the stored metadata, for updates of a status that may not change them. */
export const keepingMetadata =
  (...fields: ReadonlyArray<Field>) =>
  <A extends KubeObject>(object: A, { metadata: stored }: A): A => {
    if (fields.every((field) => object.metadata[field] === stored[field])) return object
    const kept: ReadonlyArray<string> = fields
    const given = Object.entries(object.metadata).filter(([name]) => !kept.includes(name))
    const before = fields.flatMap((field) => (stored[field] === undefined ? [] : [[field, stored[field]]]))
    return { ...object, metadata: Object.fromEntries([...given, ...before]) as ObjectMeta }
  }

const common = ["labels", "annotations", "finalizers", "ownerReferences"] as const

/** Upstream: kube-aggregator/pkg/registry/apiservice/strategy.go. */
export const withStoredDescription = /* @__PURE__ */ keepingMetadata(...common)

/** Upstream: apimachinery/pkg/apis/meta/v1/helpers.go, ResetObjectMetaForStatus. */
export const withResetMetadata = /* @__PURE__ */ keepingMetadata("deletionTimestamp", "selfLink", ...common)

/** All but what the server maintains. Upstream: pkg/registry/flowcontrol, whose strategies keep the whole metadata. */
export const withStoredMetadata = /* @__PURE__ */ keepingMetadata(
  "generateName",
  "uid",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "selfLink",
  ...common
)
