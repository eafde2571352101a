import type { Pod } from "@rollcall/api"

/**
 * The message for a pod that waits for a volume which is attached to another node. `users` are the pods there.
 * Upstream: attachdetach/reconciler.go reportMultiAttachError.
 */
export const multiAttachMessage = (volume: string, waiting: Pod, users: ReadonlyArray<Pod>): string => {
  const { namespace } = waiting.metadata
  const sameNamespace = users
    .filter(({ metadata }) => metadata.namespace === namespace)
    .map(({ metadata }) => metadata.name)
  const others = users.length - sameNamespace.length
  const text =
    users.length === 0
      ? "Volume is already exclusively attached to one node and can't be attached to another"
      : sameNamespace.length === 0
        ? `Volume is already used by ${others} pod(s) in different namespaces`
        : others === 0
          ? `Volume is already used by pod(s) ${sameNamespace.join(", ")}`
          : `Volume is already used by pod(s) ${sameNamespace.join(", ")} and ${others} pod(s) in different namespaces`
  return `Multi-Attach error for volume "${volume}" ${text}`
}
