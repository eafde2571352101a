import type { KubeObject } from "@rollcall/api"

/**
 * Marks a custom resource to which a JSON patch of a policy has added fields that its schema lacks. Upstream prunes them only where the
 * store is read: until then the mutations that follow see them, and an update that adds them is a change of the object. Copies of the
 * object keep the mark. Upstream: plugin/policy/mutating/patch/json_patch.go; apiextensions-apiserver/pkg/apiserver/customresource_handler.go.
 */
const unknownFields = Symbol("unknownFields")

interface Marked {
  readonly [unknownFields]?: { readonly document: unknown; readonly fields: ReadonlySet<string> }
}

const noFields: ReadonlySet<string> = new Set()

/** `document` is the object with the fields that are unknown, and `fields` are the top-level ones that are, or have such. */
export const markUnknownFields = (object: KubeObject, document: unknown, fields: ReadonlySet<string>): KubeObject => {
  if (fields.size === 0) return object
  const marked: KubeObject & Marked = { ...object, [unknownFields]: { document, fields } }
  return marked
}

/** Returns the document of a marked object. */
export const documentOf = (object: object): unknown => (object as Marked)[unknownFields]?.document

/** Returns the top-level fields in which an object has unknown ones, or which are unknown. */
export const unknownFieldsOf = (object: object): ReadonlySet<string> =>
  (object as Marked)[unknownFields]?.fields ?? noFields

export const withoutUnknownFields = <A extends object>(object: A): A => {
  if (!(unknownFields in object)) return object
  const { [unknownFields]: _, ...rest } = object as A & Marked
  return rest as A
}
