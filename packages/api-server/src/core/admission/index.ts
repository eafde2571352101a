import { defaultRelease, type Release } from "@rollcall/api"
import type { AdmissionPlugin } from "./Admission.ts"
import { priorityAdmission } from "./Priority.ts"
import { type DefaultTolerationSecondsOptions, defaultTolerationSeconds, taintNodesByCondition } from "./taints.ts"

export { priorityAdmission, systemPriorityClasses } from "./Priority.ts"
export { runtimeClassAdmission } from "./RuntimeClass.ts"
export { type ServiceAllocationOptions, serviceAllocation } from "./services/ServiceAllocation.ts"
export { defaultStorageClassAdmission, storageObjectInUse } from "./storage.ts"
export type { DefaultTolerationSecondsOptions } from "./taints.ts"

export interface DefaultAdmissionOptions extends DefaultTolerationSecondsOptions {
  /** What clusters of this release do; default: of the newest. */
  readonly release?: Pick<Release, "conditionTaints" | "defaultTolerations" | "nodeRestriction">
}

const taintingNodes = ({ release = defaultRelease }: DefaultAdmissionOptions): ReadonlyArray<AdmissionPlugin> =>
  release.conditionTaints ? [taintNodesByCondition] : []

const tolerating = ({
  release = defaultRelease,
  ...options
}: DefaultAdmissionOptions): ReadonlyArray<AdmissionPlugin> =>
  release.defaultTolerations ? [defaultTolerationSeconds(options)] : []

/** The plugins that shape what a rehearsal writes, in the order of kube-apiserver's chain. */
export const defaultAdmissionPlugins = (options: DefaultAdmissionOptions = {}): ReadonlyArray<AdmissionPlugin> => [
  ...taintingNodes(options),
  priorityAdmission,
  ...tolerating(options)
]
