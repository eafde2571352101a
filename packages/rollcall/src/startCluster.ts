import type { ClusterOptions, StartedCluster } from "@rollcall/testing"

export type { ClusterOptions, StartedCluster, StartedFault } from "@rollcall/testing"

/**
 * Starts a live cluster in this process: API server, control plane and nodes that are Ready. Stop it with `stop()`, or
 * declare it with `await using`. Rejects with `InvalidInput` if an option is wrong. `@rollcall/testing` describes it.
 */
export const startCluster = async (options?: ClusterOptions): Promise<StartedCluster> => {
  const testing = await import("@rollcall/testing")
  return testing.startCluster(options)
}
