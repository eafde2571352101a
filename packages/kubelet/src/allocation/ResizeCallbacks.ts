import type { Container } from "@rollcall/api"
import type { PodRefusal } from "../admission/PodAdmitHandler.ts"
import type { PodRecord } from "../pod/PodRecord.ts"

/** What the owner of the pods does for their resizes. */
export interface ResizeCallbacks {
  /** Runs the admit handlers for a pod that is resized. */
  readonly admitResize: (
    record: PodRecord,
    decide: (refusal: PodRefusal | undefined) => void,
    failed: (error: unknown) => void
  ) => void
  /** Computes the pod's status again, and posts it. */
  readonly reportResize: (record: PodRecord) => void
  /** Stops a container, to be restarted at once. */
  readonly restartContainer: (record: PodRecord, container: Container, message: string) => void
  /** Calls back as soon as the runtime responds: within the call, unless it hangs. */
  readonly whenResponsive: (request: () => void) => void
  /** Whether the kubelet knows all pods of the node: until then none is resized in place of one that is not known yet. */
  readonly isReady: () => boolean
  /** Runs `act`. If it throws, the pod is synced again later. */
  readonly guard: (record: PodRecord, act: () => void) => void
}
