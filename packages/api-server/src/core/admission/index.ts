import { defaultRelease, type Release } from "@rollcall/api"
import type { AdmissionPlugin } from "./Admission.ts"
import { deviceTaintTimes } from "./deviceTaints.ts"
import { limitRanger } from "./LimitRanger.ts"
import { priorityAdmission } from "./Priority.ts"
import { nodeDeclaredFeatureValidator, podResizeValidator } from "./podUpdates.ts"
import { resourceQuotaAdmission } from "./ResourceQuota.ts"
import { type DefaultTolerationSecondsOptions, defaultTolerationSeconds, taintNodesByCondition } from "./taints.ts"

export { claimResizeAdmission } from "./claimResize.ts"
export { defaultIngressClassAdmission } from "./IngressClass.ts"
export { priorityAdmission, systemPriorityClasses } from "./Priority.ts"
export { podTopologyLabels } from "./podTopologyLabels.ts"
export { runtimeClassAdmission } from "./RuntimeClass.ts"
export { type ServiceAllocationOptions, serviceAllocation } from "./services/ServiceAllocation.ts"
export { defaultStorageClassAdmission, storageObjectInUse } from "./storage.ts"
export type { DefaultTolerationSecondsOptions } from "./taints.ts"

export interface DefaultAdmissionOptions extends DefaultTolerationSecondsOptions {
  /** The plugins depend on what clusters of this release do. Default: the newest release. */
  readonly release?: Pick<Release, "conditionTaints" | "defaultTolerations" | "nodeRestriction">
}

const nodeTaintPlugins = ({ release = defaultRelease }: DefaultAdmissionOptions): ReadonlyArray<AdmissionPlugin> =>
  release.conditionTaints ? [taintNodesByCondition] : []

const tolerationPlugins = ({
  release = defaultRelease,
  ...options
}: DefaultAdmissionOptions): ReadonlyArray<AdmissionPlugin> =>
  release.defaultTolerations ? [defaultTolerationSeconds(options)] : []

/** Returns the plugins that every server needs, a rehearsal's too, in the order of kube-apiserver's chain. */
export const defaultAdmissionPlugins = (options: DefaultAdmissionOptions = {}): ReadonlyArray<AdmissionPlugin> => [
  limitRanger,
  ...nodeTaintPlugins(options),
  priorityAdmission,
  ...tolerationPlugins(options),
  nodeDeclaredFeatureValidator,
  podResizeValidator,
  deviceTaintTimes,
  resourceQuotaAdmission()
]
