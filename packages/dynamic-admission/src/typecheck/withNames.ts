import { type CelType, listOf, mapOf, objectOf } from "@rollcall/cel"

/**
 * Returns a type whose objects are named after their place: `Deployment.spec.template`. Only objects of one name are
 * equal. Upstream: apiserver/pkg/cel/types.go, MaybeAssignTypeName; there, a number follows the name of the kind.
 */
export const withNames = (type: CelType, name: string): CelType => {
  const [first, second] = type.params
  if (type.kind === "list" && first !== undefined) return listOf(withNames(first, `${name}.@idx`))
  if (type.kind === "map" && first !== undefined && second !== undefined) {
    return mapOf(first, withNames(second, `${name}.@elem`))
  }
  if (type.kind !== "object" || type.fields === undefined) return type
  const fields = new Map([...type.fields].map(([field, inner]) => [field, withNames(inner, `${name}.${field}`)]))
  return objectOf(fields, type.minSize, name)
}
