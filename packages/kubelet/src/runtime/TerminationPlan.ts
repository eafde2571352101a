import type { Pod } from "@rollcall/api"
import { isSidecar } from "../pod/ContainerRestart.ts"

/** How a container takes being asked to end. */
export interface StopBehaviour {
  /** From SIGTERM until it has ended. */
  readonly stopMs: number
  /** What it answers to SIGTERM. */
  readonly exitCode: number
  readonly preStopMs: number
}

/** When a container ends, in milliseconds from the order on, and how. */
export interface PlannedEnd {
  readonly name: string
  readonly afterMs: number
  readonly exitCode: number
}

const KILLED_EXIT_CODE = 137
/** However little grace is left, a container gets this long between SIGTERM and SIGKILL. */
const MIN_STOP_MS = 2_000

/** When a container that is asked to end alone will have ended. */
export const endOf = (
  name: string,
  graceMs: number,
  { exitCode, preStopMs, stopMs }: StopBehaviour,
  turnMs = 0
): PlannedEnd => {
  const hookMs = Math.min(preStopMs, graceMs)
  const beginMs = Math.max(hookMs, Math.min(turnMs, graceMs))
  const leftMs = Math.max(MIN_STOP_MS, graceMs - beginMs)
  return stopMs > leftMs
    ? { name, afterMs: beginMs + leftMs, exitCode: KILLED_EXIT_CODE }
    : { name, afterMs: beginMs + stopMs, exitCode }
}

/**
 * When the containers of a pod end. All preStop hooks run at once, within the grace period; regular containers are then asked to
 * end, sidecars once the containers after them have ended, the last first, or when the grace period is over.
 * Upstream: pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer, kuberuntime_termination_order.go.
 */
export const terminationPlan = (
  { spec }: Pod,
  runs: (name: string) => boolean,
  graceMs: number,
  behaviourOf: (name: string) => StopBehaviour
): ReadonlyArray<PlannedEnd> => {
  const inits = spec.initContainers ?? []
  const plan = [...spec.containers, ...inits.filter((container) => !isSidecar(container))]
    .filter(({ name }) => runs(name))
    .map(({ name }) => endOf(name, graceMs, behaviourOf(name)))
  let turnMs = plan.reduce((latest, { afterMs }) => Math.max(latest, afterMs), 0)
  for (const { name } of inits.filter(isSidecar).toReversed()) {
    if (!runs(name)) continue
    const end = endOf(name, graceMs, behaviourOf(name), turnMs)
    plan.push(end)
    turnMs = Math.max(turnMs, end.afterMs)
  }
  return plan
}
