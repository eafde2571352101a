import { defaultPod, type KubeObject, type Pod } from "@rollcall/api"

/**
 * Makes one value of parts that are equal: the thousands of pods of a snapshot say much the same. Objects are immutable, so
 * that nobody can tell; a large cluster takes half the memory, and the collector and the caches have less to walk through.
 */
export const makeSharing = (): ((object: KubeObject) => KubeObject) => {
  const known = new Map<string, unknown>()
  const share = <A>(part: A): A => {
    if (part === undefined) return part
    const text = JSON.stringify(part)
    const same = known.get(text)
    if (same !== undefined) return same as A
    known.set(text, part)
    return part
  }
  const shareAll = <A extends object>(object: A, keys: ReadonlyArray<keyof A>): A => {
    const copy = { ...object }
    for (const key of keys) if (copy[key] !== undefined) copy[key] = share(copy[key])
    return copy
  }
  return (object) => {
    if (object.kind !== "Pod") return object
    // With the defaults in place nothing of it is written anew later.
    const pod = defaultPod(object as Pod)
    return {
      ...pod,
      metadata: shareAll(pod.metadata, ["labels", "annotations", "ownerReferences", "managedFields"]),
      spec: shareAll(pod.spec, [
        "containers",
        "initContainers",
        "tolerations",
        "affinity",
        "volumes",
        "securityContext"
      ]),
      ...(pod.status === undefined ? {} : { status: shareAll(pod.status, ["conditions", "containerStatuses"]) })
    }
  }
}
