import type { Pod } from "@rollcall/api"
import { isSidecar } from "../pod/ContainerRestart.ts"

/** How a container reacts to being stopped. */
export interface StopBehaviour {
  /** The time from SIGTERM until the container has stopped. */
  readonly stopMs: number
  /** Its exit code after SIGTERM. */
  readonly exitCode: number
  /** The duration of its preStop hook. */
  readonly preStopMs: number
}

/** When a container stops, in milliseconds from the request, and with which exit code. */
export interface PlannedEnd {
  readonly name: string
  readonly afterMs: number
  readonly exitCode: number
  /** What the container leaves for its status. */
  readonly message?: string
}

/** The exit code of a container that was killed: 128 + SIGKILL. */
const KILLED_EXIT_CODE = 137
/** The minimum time between SIGTERM and SIGKILL, however little grace period is left. */
const MIN_STOP_MS = 2_000

/**
 * Returns when a container will have stopped. `waitMs` is how long it waits for other containers before its SIGTERM.
 */
export const endOf = (
  name: string,
  graceMs: number,
  { exitCode, preStopMs, stopMs }: StopBehaviour,
  waitMs = 0
): PlannedEnd => {
  const hookMs = Math.min(preStopMs, graceMs)
  const stopAtMs = Math.max(hookMs, Math.min(waitMs, graceMs))
  const leftMs = Math.max(MIN_STOP_MS, graceMs - stopAtMs)
  return stopMs > leftMs
    ? { name, afterMs: stopAtMs + leftMs, exitCode: KILLED_EXIT_CODE }
    : { name, afterMs: stopAtMs + stopMs, exitCode }
}

/**
 * Returns when the containers of a pod stop. All preStop hooks run concurrently, within the grace period. Regular
 * containers are stopped after their hooks, and sidecars once the containers after them have stopped, the last first,
 * or when the grace period has passed. Upstream: pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer,
 * kuberuntime_termination_order.go.
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
  let waitMs = plan.reduce((latest, { afterMs }) => Math.max(latest, afterMs), 0)
  for (const { name } of inits.filter(isSidecar).toReversed()) {
    if (!runs(name)) continue
    const end = endOf(name, graceMs, behaviourOf(name), waitMs)
    plan.push(end)
    waitMs = Math.max(waitMs, end.afterMs)
  }
  return plan
}
