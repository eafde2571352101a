import type { Env } from "../internal/Env.ts"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import type { ContainerLifecycle, RunningHook } from "./ContainerLifecycle.ts"
import { recordContainerEvent } from "./PodEvents.ts"
import type { PodRecord } from "./PodRecord.ts"
import { countSyncFailure } from "./userNamespaces.ts"

/** The reason of a container whose hook failed, while it waits for its restart. Upstream: pkg/kubelet/kuberuntime. */
export const POST_START_ERROR = "PostStartHookError"

/** Returns the postStart hook of a container that has just started; undefined if it has none, or the hook takes no time. */
export const postStartOf = (
  { timers }: Env,
  { containers }: PodRuntime,
  record: PodRecord,
  { container }: ContainerLifecycle
): RunningHook | undefined => {
  const handler = container.lifecycle?.postStart
  if (handler === undefined) return undefined
  const end =
    handler.sleep === undefined
      ? (containers?.postStartEnd?.(record.pod, container.name, record) ?? { afterMs: 0 })
      : { afterMs: handler.sleep.seconds * 1000 }
  const { afterMs, failure } = end
  if (afterMs === 0 && failure === undefined) return undefined
  return { endsMs: timers.now() + afterMs, failure }
}

/** Records that a hook failed, and with it the sync. The hook's message is not in the Event: it may hold secrets. */
export const recordFailedHook = (env: Env, record: PodRecord, { container, isInit }: ContainerLifecycle): void => {
  countSyncFailure(env, record)
  const message = "PostStartHook failed"
  recordContainerEvent(env.recorder, record.pod, container, isInit, "Warning", "FailedPostStartHook", message)
}
