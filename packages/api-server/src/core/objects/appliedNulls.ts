import type { KubeObject } from "@rollcall/api"

/**
 * Marks the result of an apply whose configuration has nulls. Custom resources drop nulls that their schema does not
 * allow where a body is decoded; an applied configuration is not decoded, so that its nulls are refused. Copies of the
 * object keep the mark. Upstream: apiextensions-apiserver/pkg/apiserver/customresource_handler.go, schemaCoercingDecoder.
 */
export const appliedNulls = Symbol("appliedNulls")

export const markAppliedNulls = <A extends KubeObject>(object: A, config: unknown): A =>
  hasNull(config) ? { ...object, [appliedNulls]: true } : object

export const withoutAppliedNulls = <A extends object>(object: A): A => {
  const { [appliedNulls]: _, ...rest } = object as A & { readonly [appliedNulls]?: true }
  return rest as A
}

const hasNull = (value: unknown): boolean =>
  value === null || (typeof value === "object" && Object.values(value).some(hasNull))
