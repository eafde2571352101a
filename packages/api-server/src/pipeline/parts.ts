import type { KubeObject } from "@rollcall/api"

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
