import type { Pod } from "./objects/Pod.ts"
import type { PodCondition, PodStatus } from "./objects/PodStatus.ts"

/** Returns the first condition of a type. */
export const getPodCondition = (
  status: Pick<PodStatus, "conditions"> | undefined,
  type: PodCondition["type"]
): PodCondition | undefined => status?.conditions?.find((condition) => condition.type === type)

export const isPodReady = (pod: Pod): boolean => getPodCondition(pod.status, "Ready")?.status === "True"

/**
 * Sets a condition. Its transition time is now, or that of the present condition if the status is the same. Returns the
 * same object when status, reason, message, probe and transition time are all unchanged. observedGeneration is not
 * compared. Upstream: pkg/api/v1/pod/util.go, UpdatePodCondition.
 */
export const updatePodCondition = <S extends PodStatus>(status: S, condition: PodCondition, nowText: string): S => {
  const conditions = status.conditions ?? []
  const at = conditions.findIndex(({ type }) => type === condition.type)
  const old = conditions[at]
  if (old === undefined)
    return { ...status, conditions: [...conditions, { ...condition, lastTransitionTime: nowText }] }
  const { lastTransitionTime: _, ...given } = condition
  const since = old.status === condition.status ? old.lastTransitionTime : nowText
  const updated: PodCondition = since === undefined ? given : { ...given, lastTransitionTime: since }
  const same =
    old.status === updated.status &&
    (old.reason ?? "") === (updated.reason ?? "") &&
    (old.message ?? "") === (updated.message ?? "") &&
    (old.lastProbeTime ?? "") === (updated.lastProbeTime ?? "") &&
    old.lastTransitionTime === updated.lastTransitionTime
  return same ? status : { ...status, conditions: conditions.with(at, updated) }
}
