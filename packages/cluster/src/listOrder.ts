import type { KubeObject } from "@rollcall/api"

/** Whether an API server lists the first object before the second: by namespace, then by name. */
export const isListedBefore = ({ metadata: first }: KubeObject, { metadata: second }: KubeObject): boolean => {
  const { name = "", namespace = "" } = second
  const { name: firstName = "", namespace: firstNamespace = "" } = first
  if (firstNamespace === namespace) return firstName < name
  // `a-b/` comes before `a/`.
  return `${firstNamespace}/` < `${namespace}/`
}

/**
 * Returns where an object of this name is among the first `length` objects, which have the order of a list; undefined if it
 * is not among them.
 */
export const indexInList = (
  objects: ReadonlyArray<KubeObject | undefined>,
  length: number,
  name: string,
  namespace: string
): number | undefined => {
  const wanted: KubeObject = { apiVersion: "", kind: "", metadata: { name, namespace } }
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isListedBefore(objects[middle] as KubeObject, wanted)) low = middle + 1
    else high = middle
  }
  const metadata = low < length ? objects[low]?.metadata : undefined
  return metadata?.name === name && (metadata.namespace ?? "") === namespace ? low : undefined
}
