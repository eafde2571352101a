import type { Pod } from "@rollcall/api"
import type { ApiError } from "@rollcall/cluster"

/** Progress of a drain. */
export type DrainEvent =
  /** A request is about to be sent; again for each retry. */
  | { readonly type: "evicting" | "deleting"; readonly pod: Pod }
  /** A budget refuses the eviction for now; it is retried. */
  | { readonly type: "refused"; readonly pod: Pod; readonly error: ApiError }
  /** The pod's namespace is terminating, and accepts evictions only of pods that are already being deleted. */
  | { readonly type: "namespaceTerminating"; readonly pod: Pod; readonly error: ApiError }
  /** The pod no longer exists. */
  | { readonly type: "evicted" | "deleted"; readonly pod: Pod }
  /** The pod has been terminating for so long that it is not waited for. */
  | { readonly type: "skipped"; readonly pod: Pod; readonly seconds: number }
