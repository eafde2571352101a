import {
  type KubeObject,
  matchesFieldSelector,
  matchesLabelSelector,
  parseFieldSelector,
  parseLabelSelector
} from "@rollcall/api"
import * as Result from "effect/Result"

/** What a list or a watch selects. */
export interface Selection {
  readonly kind: string
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

const fieldOf = (object: KubeObject, path: string): string | undefined => {
  let found: unknown = object
  for (const step of path.split(".")) found = (found as Readonly<Record<string, unknown>> | undefined)?.[step]
  return found as string | undefined
}

/** Whether a list or a watch selects an object of its kind. */
export const matches = ({ fieldSelector, labelSelector, namespace }: Selection, object: KubeObject): boolean => {
  if (namespace !== undefined && object.metadata.namespace !== namespace) return false
  if (fieldSelector !== undefined) {
    const selector = Result.getOrThrow(parseFieldSelector(fieldSelector))
    if (!matchesFieldSelector(selector, (path) => fieldOf(object, path))) return false
  }
  if (labelSelector === undefined) return true
  return matchesLabelSelector(Result.getOrThrow(parseLabelSelector(labelSelector)), object.metadata.labels ?? {})
}
