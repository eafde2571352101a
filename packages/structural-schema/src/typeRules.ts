import type { CustomResourceSubresources, KubeObject, Resource } from "@rollcall/api"
import { jsonPathValueText } from "@rollcall/api/printing"
import { type ErrorList, isQualifiedName } from "@rollcall/api/validation"
import { goTypeOf, isFields, stepsOf, valueAt } from "@rollcall/api/values"

/*
 * The rules that hold for custom resources of every schema. Upstream:
 * apiextensions-apiserver/pkg/registry/customresource/validator.go.
 */

/** Checks that an object says its own kind and version: its body is not decoded by kind. */
export const checkTypeMeta = (errors: ErrorList, object: KubeObject, { group, kind, version }: Resource): void => {
  const apiVersion = `${group}/${version}`
  if (object.kind !== kind) errors.invalid("kind", object.kind, `must be ${kind}`)
  if (object.apiVersion !== apiVersion) errors.invalid("apiVersion", object.apiVersion, `must be ${apiVersion}`)
}

type Scale = NonNullable<CustomResourceSubresources["scale"]>

const MAX_INT32 = 2 ** 31 - 1

const goText = (value: unknown): string => {
  if (value === null) return "<nil>"
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`
  if (!isFields(value)) return jsonPathValueText(value)
  const entries = Object.keys(value).sort()
  return `map[${entries.map((name) => `${name}:${goText(value[name])}`).join(" ")}]`
}

/** Checks that the values at the paths of the scale have its types; for a write of the status only those in it. */
export const checkScale = (errors: ErrorList, object: KubeObject, scale: Scale, isStatus: boolean): void => {
  if (!isStatus) checkReplicas(errors, object, scale.specReplicasPath)
  checkReplicas(errors, object, scale.statusReplicasPath)
  const { labelSelectorPath: path } = scale
  if (path === undefined) return
  const value = valueAt(object, stepsOf(path))
  if (value !== undefined && typeof value !== "string") errors.invalid(path, "", accessError(path, value, "string"))
}

const accessError = (path: string, value: unknown, type: string): string =>
  `.${path.replace(/^\./, "")} accessor error: ${goText(value)} is of the type ${goTypeOf(value)}, expected ${type}`

/** Returns what stands on the way to a path and is no map; undefined if nothing does. */
const obstacleAt = (object: KubeObject, steps: ReadonlyArray<string>): unknown => {
  let at: unknown = object
  for (const step of steps) {
    if (at === undefined || at === null) return undefined
    if (!isFields(at)) return at
    at = Object.hasOwn(at, step) ? at[step] : undefined
  }
  return undefined
}

const checkReplicas = (errors: ErrorList, object: KubeObject, path: string): void => {
  const steps = stepsOf(path)
  const obstacle = obstacleAt(object, steps)
  if (obstacle !== undefined) errors.invalid(path, 0, accessError(path, obstacle, "map[string]interface{}"))
  const value = obstacle === undefined ? valueAt(object, steps) : undefined
  if (value === undefined) return
  if (typeof value !== "bigint" && !Number.isSafeInteger(value)) {
    errors.invalid(path, 0, accessError(path, value, "int64"))
    return
  }
  const count = value as number | bigint
  if (count < 0) errors.invalid(path, value, "should be a non-negative integer")
  else if (count > MAX_INT32) errors.invalid(path, value, `should be less than or equal to ${MAX_INT32}`)
}

const standardFinalizers: ReadonlySet<string> = new Set(["orphan", "foregroundDeletion", "kubernetes"])

/** Returns warnings about new finalizers that other writers could also use. */
export const finalizerWarnings = (object: KubeObject, stored?: KubeObject): ReadonlyArray<string> => {
  const { finalizers } = object.metadata
  if (finalizers === undefined) return []
  const known = new Set(stored?.metadata.finalizers)
  const added = [...new Set(finalizers)].filter((name) => !known.has(name)).sort()
  return added.flatMap((name) => {
    const at = `metadata.finalizers: ${JSON.stringify(name)}: `
    const warnings = isQualifiedName(name).map((message) => `${at}${message}`)
    if (name.includes("/") || standardFinalizers.has(name)) return warnings
    const path = name.includes(".") ? " including a path (/)" : ""
    return [
      ...warnings,
      `${at}prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`
    ]
  })
}
