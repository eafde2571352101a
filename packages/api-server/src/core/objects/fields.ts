import type { KubeObject } from "@rollcall/api"
import { isFields } from "./values.ts"

/** The parts that most kinds have, where the kind does not matter. */
interface Parts extends KubeObject {
  readonly spec?: unknown
  readonly status?: unknown
}

export const specOf = (object: KubeObject): unknown => (object as Parts).spec
export const statusOf = (object: KubeObject): unknown => (object as Parts).status

/** The object with that status, or without any; the same reference when it is so already. */
export const withStatus = (object: KubeObject, status: unknown): KubeObject => {
  if (statusOf(object) === status) return object
  if (status !== undefined) return { ...object, status } as Parts
  const { status: _, ...rest } = object as Parts
  return rest
}

export const withSpec = (object: KubeObject, spec: unknown): KubeObject => ({ ...object, spec }) as Parts

/** Where a custom resource keeps what its Scale shows, as steps: `.spec.replicas` is `["spec", "replicas"]`. */
export interface ScalePaths {
  readonly specReplicas: ReadonlyArray<string>
  readonly statusReplicas: ReadonlyArray<string>
  readonly labelSelector: ReadonlyArray<string> | undefined
}

/** The steps of a path without array notation. */
export const stepsOf = (path: string): ReadonlyArray<string> => path.replace(/^\./, "").split(".")

export const valueAt = (value: unknown, steps: ReadonlyArray<string>): unknown => {
  let found = value
  for (const step of steps) found = isFields(found) && Object.hasOwn(found, step) ? found[step] : undefined
  return found
}

/** The object with another value there. */
export const withValueAt = (object: KubeObject, steps: ReadonlyArray<string>, value: unknown): KubeObject => ({
  ...object,
  ...changed(object, steps, value)
})

const changed = (
  inside: unknown,
  [step = "", ...rest]: ReadonlyArray<string>,
  value: unknown
): Readonly<Record<string, unknown>> => {
  const fields = isFields(inside) ? inside : {}
  return { ...fields, [step]: rest.length === 0 ? value : changed(fields[step], rest, value) }
}
