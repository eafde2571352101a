import { defaultRelease, type Release } from "@rollcall/api"
import type { AdmissionPlugin } from "./Admission.ts"
import { type DefaultTolerationSecondsOptions, defaultTolerationSeconds } from "./DefaultTolerationSeconds.ts"
import { priorityAdmission } from "./Priority.ts"
import { taintNodesByCondition } from "./TaintNodesByCondition.ts"

export { defaultStorageClassAdmission } from "./DefaultStorageClass.ts"
export {
  type DefaultTolerationSecondsOptions,
  defaultTolerationSeconds,
  withDefaultTolerations
} from "./DefaultTolerationSeconds.ts"
export { priorityAdmission, systemPriorityClasses } from "./Priority.ts"
export { runtimeClassAdmission } from "./RuntimeClass.ts"
export { storageObjectInUse } from "./StorageObjectInUse.ts"
export { type ServiceAllocationOptions, serviceAllocation } from "./services/ServiceAllocation.ts"
export { taintNodesByCondition, withNotReadyTaint } from "./TaintNodesByCondition.ts"

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
