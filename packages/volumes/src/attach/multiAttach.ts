import type { Pod } from "@rollcall/api"

/**
 * Why a volume attached to one node cannot be attached to another. Upstream: attachdetach/reconciler.go
 * reportMultiAttachError.
 */
export const multiAttachMessage = (volume: string, waiting: Pod, users: ReadonlyArray<Pod>): string => {
  const { namespace } = waiting.metadata
  const near = users.filter(({ metadata }) => metadata.namespace === namespace).map(({ metadata }) => metadata.name)
  const far = users.length - near.length
  const text =
    users.length === 0
      ? "Volume is already exclusively attached to one node and can't be attached to another"
      : near.length === 0
        ? `Volume is already used by ${far} pod(s) in different namespaces`
        : far === 0
          ? `Volume is already used by pod(s) ${near.join(", ")}`
          : `Volume is already used by pod(s) ${near.join(", ")} and ${far} pod(s) in different namespaces`
  return `Multi-Attach error for volume "${volume}" ${text}`
}
