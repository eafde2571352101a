import { formatTime, type NamespaceCondition } from "@rollcall/api"

/** What a pass over the contents of a namespace found. Its maps count objects. */
export interface Contents {
  /** What is left of each resource, such as `leases.coordination.k8s.io`; of the core group `pods.`. */
  readonly remaining: ReadonlyMap<string, number>
  /** The objects that each finalizer holds. */
  readonly byFinalizer: ReadonlyMap<string, number>
  /** Why resources could not be discovered, each an error's message. */
  readonly discoveryErrors: ReadonlyArray<string>
  readonly deletionErrors: ReadonlyArray<string>
}

/** A condition whose status is False: nothing is wrong. */
const ok = (type: string, reason: string, message: string): NamespaceCondition => ({
  type,
  status: "False",
  reason,
  message
})

const failing = (type: string, reason: string, message: string): NamespaceCondition => ({
  ...ok(type, reason, message),
  status: "True"
})

const counted = (counts: ReadonlyMap<string, number>, verb: "has" | "in"): string =>
  [...counts]
    .map(([name, count]) => `${name} ${verb} ${count} resource instances`)
    .sort()
    .join(", ")

const conditionsOf = (contents: Contents): ReadonlyArray<NamespaceCondition> => {
  const { byFinalizer, deletionErrors, discoveryErrors, remaining } = contents
  const failures = [...deletionErrors].sort().join(", ")
  return [
    discoveryErrors.length > 0
      ? failing("NamespaceDeletionDiscoveryFailure", "DiscoveryFailed", discoveryErrors.join(", "))
      : ok("NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"),
    ok(
      "NamespaceDeletionGroupVersionParsingFailure",
      "ParsedGroupVersions",
      "All legacy kube types successfully parsed"
    ),
    deletionErrors.length > 0
      ? failing(
          "NamespaceDeletionContentFailure",
          "ContentDeletionFailed",
          `Failed to delete all resource types, ${deletionErrors.length} remaining: ${failures}`
        )
      : ok(
          "NamespaceDeletionContentFailure",
          "ContentDeleted",
          "All content successfully deleted, may be waiting on finalization"
        ),
    remaining.size > 0
      ? failing(
          "NamespaceContentRemaining",
          "SomeResourcesRemain",
          `Some resources are remaining: ${counted(remaining, "has")}`
        )
      : ok("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed"),
    byFinalizer.size > 0
      ? failing(
          "NamespaceFinalizersRemaining",
          "SomeFinalizersRemain",
          `Some content in the namespace has finalizers remaining: ${counted(byFinalizer, "in")}`
        )
      : ok("NamespaceFinalizersRemaining", "ContentHasNoFinalizers", "All content-preserving finalizers finished")
  ]
}

const isSame = (left: NamespaceCondition, right: NamespaceCondition): boolean =>
  left.status === right.status && left.reason === right.reason && left.message === right.message

/**
 * Returns the conditions of a terminating namespace after a pass over its contents; undefined if they stay as they are.
 * Upstream: pkg/controller/namespace/deletion/status_condition_utils.go.
 */
export const nextConditions = (
  before: ReadonlyArray<NamespaceCondition>,
  contents: Contents,
  now: number
): ReadonlyArray<NamespaceCondition> | undefined => {
  const after = [...before]
  let isChanged = false
  for (const condition of conditionsOf(contents)) {
    const at = after.findIndex(({ type }) => type === condition.type)
    const old = after[at]
    if (old !== undefined && isSame(old, condition)) continue
    isChanged = true
    const { lastTransitionTime } = old?.status === condition.status ? old : { lastTransitionTime: formatTime(now) }
    const next = { ...condition, ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }) }
    if (old === undefined) after.push(next)
    else after[at] = next
  }
  return isChanged ? after : undefined
}
