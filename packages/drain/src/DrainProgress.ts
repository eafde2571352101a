import type { Pod } from "@rollcall/api"
import type { ApiError } from "@rollcall/cluster"

/** What happens in a drain, as it happens. */
export type DrainEvent =
  /** A request is about to be made; again for each repetition. */
  | { readonly type: "evicting" | "deleting"; readonly pod: Pod }
  /** A budget refuses it for now; it is tried again. */
  | { readonly type: "refused"; readonly pod: Pod; readonly error: ApiError }
  /** Its namespace is going, and takes evictions only of pods that are already on their way. */
  | { readonly type: "namespaceTerminating"; readonly pod: Pod; readonly error: ApiError }
  /** It is gone. */
  | { readonly type: "evicted" | "deleted"; readonly pod: Pod }
  /** It has been terminating for so long that it is not waited for. */
  | { readonly type: "skipped"; readonly pod: Pod; readonly seconds: number }
