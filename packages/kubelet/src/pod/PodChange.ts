import { getPodCondition, type Pod } from "@rollcall/api"

const hasOtherImages = (before: Pod, after: Pod): boolean =>
  after.spec.containers.some(({ image }, index) => image !== before.spec.containers[index]?.image)

/** Whether the spec has changed: the generation shows it, or, in older releases, what the kubelet acts on. */
export const hasOtherSpec = (before: Pod, after: Pod): boolean =>
  before.spec !== after.spec &&
  after.metadata.deletionTimestamp === undefined &&
  (before.metadata.generation !== after.metadata.generation ||
    before.spec.activeDeadlineSeconds !== after.spec.activeDeadlineSeconds ||
    before.spec.ephemeralContainers?.length !== after.spec.ephemeralContainers?.length ||
    hasOtherImages(before, after))

/** Whether a readiness gate of the pod has another status. */
export const hasOtherGates = (before: Pod, after: Pod): boolean =>
  before.status !== after.status &&
  (after.spec.readinessGates?.some(
    ({ conditionType }) =>
      getPodCondition(before.status, conditionType)?.status !== getPodCondition(after.status, conditionType)?.status
  ) ??
    false)
