import type { Pod } from "@rollcall/api"
import { isSidecar } from "../pod/ContainerRestart.ts"

/** How a container reacts to being stopped. */
export interface StopBehaviour {
  /** From SIGTERM until it has stopped. */
  readonly stopMs: number
  /** Its exit code after SIGTERM. */
  readonly exitCode: number
  readonly preStopMs: number
}

/** When a container stops, in milliseconds since the request, and how. */
export interface PlannedEnd {
  readonly name: string
  readonly afterMs: number
  readonly exitCode: number
}

const KILLED_EXIT_CODE = 137
/** The minimum time between SIGTERM and SIGKILL, however little grace period is left. */
const MIN_STOP_MS = 2_000

/** When a container that is stopped alone will have stopped. */
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
 * When the containers of a pod stop. All preStop hooks run concurrently, within the grace period; regular containers
 * are then stopped, and sidecars once the containers after them have stopped, the last first, or when the grace period
 * has passed. Upstream: pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer,
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
  let turnMs = plan.reduce((latest, { afterMs }) => Math.max(latest, afterMs), 0)
  for (const { name } of inits.filter(isSidecar).toReversed()) {
    if (!runs(name)) continue
    const end = endOf(name, graceMs, behaviourOf(name), turnMs)
    plan.push(end)
    turnMs = Math.max(turnMs, end.afterMs)
  }
  return plan
}
