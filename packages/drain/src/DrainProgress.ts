import type { Pod } from "@rollcall/api"
import type { ApiError } from "@rollcall/cluster"

/** A step of a drain. Pods are as they were listed, before the drain. */
export type DrainEvent =
  /** A request is about to be sent. Each retry has its own event. */
  | { readonly type: "evicting" | "deleting"; readonly pod: Pod }
  /** The API server refused the eviction for now, usually because of a budget; it will be retried. */
  | { readonly type: "refused"; readonly pod: Pod; readonly error: ApiError }
  /** The pod's namespace is terminating, and accepts evictions only of pods that are already being deleted. */
  | { readonly type: "namespaceTerminating"; readonly pod: Pod; readonly error: ApiError }
  /** The pod no longer exists, after an eviction or a deletion. */
  | { readonly type: "evicted" | "deleted"; readonly pod: Pod }
  /** The pod has been terminating for so long that it is not waited for. */
  | { readonly type: "skipped"; readonly pod: Pod; readonly seconds: number }
