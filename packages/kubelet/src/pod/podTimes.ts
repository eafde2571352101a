import { parseTime } from "@rollcall/api"
import type { Env } from "../internal/Env.ts"
import type { ProbeKind } from "../runtime/ProbeOutcomes.ts"
import type { ContainerLifecycle, PodLifecycle } from "./ContainerLifecycle.ts"
import type { PodRecord } from "./PodRecord.ts"

/** When the pod's active deadline is over; Infinity if it has none, or has not started. */
export const deadlineMs = ({ clockSkewMs }: Env, { pod, status }: PodRecord): number => {
  const { activeDeadlineSeconds } = pod.spec
  if (activeDeadlineSeconds === undefined || status.startTime === undefined) return Number.POSITIVE_INFINITY
  return parseTime(status.startTime) - clockSkewMs + Number(activeDeadlineSeconds) * 1000
}

/** When the next hook ends; Infinity if none runs. */
export const nextHookMs = ({ containers }: PodLifecycle): number =>
  containers.reduce((next, { hook }) => Math.min(next, hook?.endsMs ?? next), Number.POSITIVE_INFINITY)

/** The grace period, in seconds, of a container of the pod that is stopped alone. */
export const podGrace = ({ pod }: PodRecord): number => Math.max(1, Number(pod.spec.terminationGracePeriodSeconds ?? 0))

/** The grace period of a container whose probe failed. */
export const probeGrace = (record: PodRecord, { container }: ContainerLifecycle, kind: ProbeKind): number => {
  const given = container[`${kind}Probe`]?.terminationGracePeriodSeconds
  return given === undefined ? podGrace(record) : Math.max(1, Number(given))
}
