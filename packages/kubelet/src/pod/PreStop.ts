import type { Container } from "@rollcall/api"
import type { Env } from "../internal/Env.ts"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import { recordContainerEvent } from "./PodEvents.ts"
import type { PodRecord } from "./PodRecord.ts"

/** A container that is being stopped. */
interface StoppedContainer {
  readonly container: Container
  readonly isInit: boolean
  readonly graceSeconds: number
}

/**
 * Records, when its preStop hook has ended, that the hook of a container failed; not if the grace period was over
 * before, or the kubelet has ended. The hook's message is not in the Event: it may hold secrets.
 * Upstream: pkg/kubelet/kuberuntime/kuberuntime_container.go executePreStopHook.
 */
export const watchPreStop = (
  { recorder, timers }: Env,
  { containers }: PodRuntime,
  record: PodRecord,
  { container, graceSeconds, isInit }: StoppedContainer,
  kubelet: { readonly isActive: boolean }
): void => {
  if (recorder === undefined || container.lifecycle?.preStop === undefined) return
  const end = containers?.preStopEnd?.(record.pod, container.name, record)
  if (end?.failure === undefined || end.afterMs > graceSeconds * 1000) return
  const report = () =>
    recordContainerEvent(recorder, record.pod, container, isInit, "Warning", "FailedPreStopHook", "PreStopHook failed")
  if (end.afterMs === 0) report()
  else timers.after(end.afterMs, () => (kubelet.isActive ? report() : undefined))
}

/** Records that a single container is being stopped, and later what becomes of its hook. */
export const recordKilling = (
  env: Env,
  runtime: PodRuntime,
  record: PodRecord,
  stopped: StoppedContainer,
  message: string,
  kubelet: { readonly isActive: boolean }
): void => {
  recordContainerEvent(env.recorder, record.pod, stopped.container, stopped.isInit, "Normal", "Killing", message)
  watchPreStop(env, runtime, record, stopped, kubelet)
}
