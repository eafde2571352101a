import { type DeleteOptions, foregroundFinalizer, orphanFinalizer } from "@rollcall/api"

type Policy = "Orphan" | "Foreground" | "Background"

const isPolicy = (text: string): text is Policy => text === "Orphan" || text === "Foreground" || text === "Background"

/** What a delete asks for, else what the object's finalizers still say of an earlier one, else the default of all kinds. */
const policyOf = (options: DeleteOptions, finalizers: ReadonlyArray<string>): Policy => {
  if (options.orphanDependents !== undefined) return options.orphanDependents ? "Orphan" : "Background"
  if (options.propagationPolicy !== undefined)
    return isPolicy(options.propagationPolicy) ? options.propagationPolicy : "Background"
  const earlier = finalizers.find((finalizer) => finalizer === orphanFinalizer || finalizer === foregroundFinalizer)
  if (earlier === undefined) return "Background"
  return earlier === orphanFinalizer ? "Orphan" : "Foreground"
}

const finalizerOf: Readonly<Record<Policy, ReadonlyArray<string>>> = {
  Orphan: [orphanFinalizer],
  Foreground: [foregroundFinalizer],
  Background: []
}

/**
 * The finalizers an object has once a delete with these options has begun; the same list when nothing changes.
 * Upstream: registry/generic/registry/store.go (deletionFinalizersForGarbageCollection).
 */
export const finalizersForDeletion = (
  options: DeleteOptions,
  finalizers: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const wanted = finalizerOf[policyOf(options, finalizers)]
  const others = finalizers.filter((finalizer) => finalizer !== orphanFinalizer && finalizer !== foregroundFinalizer)
  const next = [...others, ...wanted]
  const before = new Set(finalizers)
  return next.length === finalizers.length && next.every((finalizer) => before.has(finalizer)) ? finalizers : next
}
