import { defaultRelease, type Release } from "@rollcall/api"
import { type ServiceAllocationOptions, serviceAllocation } from "../services/ServiceAllocation.ts"
import type { AdmissionPlugin } from "./Admission.ts"
import { defaultStorageClassAdmission } from "./DefaultStorageClass.ts"
import { type DefaultTolerationSecondsOptions, defaultTolerationSeconds } from "./DefaultTolerationSeconds.ts"
import { nodeRestriction } from "./NodeRestriction.ts"
import { priorityAdmission } from "./Priority.ts"
import { runtimeClassAdmission } from "./RuntimeClass.ts"
import { serviceAccountAdmission } from "./ServiceAccount.ts"
import { storageObjectInUse } from "./StorageObjectInUse.ts"
import { taintNodesByCondition } from "./TaintNodesByCondition.ts"

export { defaultStorageClassAdmission } from "./DefaultStorageClass.ts"
export {
  type DefaultTolerationSecondsOptions,
  defaultTolerationSeconds,
  withDefaultTolerations
} from "./DefaultTolerationSeconds.ts"
export { nodeRestriction } from "./NodeRestriction.ts"
export { priorityAdmission, systemPriorityClasses } from "./Priority.ts"
export { runtimeClassAdmission } from "./RuntimeClass.ts"
export { serviceAccountAdmission } from "./ServiceAccount.ts"
export { storageObjectInUse } from "./StorageObjectInUse.ts"
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

export interface ServerAdmissionOptions extends DefaultAdmissionOptions {
  /** Where the addresses of services come from. */
  readonly services?: ServiceAllocationOptions
  /** `--enable-admission-plugins=NodeRestriction`, as every cluster with kubelets has it. Default: where the release knows it. */
  readonly nodeRestriction?: boolean
  /** `--disable-admission-plugins`: names of plugins that are left out. */
  readonly disabled?: ReadonlyArray<string>
}

/**
 * The plugins of a server that others reach, in the order of kube-apiserver's chain: those, and who pods run as, and what kubelets
 * may not write. That nothing is created in a namespace that is missing or ending the pipeline itself sees to.
 */
export const serverAdmissionPlugins = ({
  disabled = [],
  ...options
}: ServerAdmissionOptions = {}): ReadonlyArray<AdmissionPlugin> =>
  [
    serviceAccountAdmission,
    ...((options.nodeRestriction ?? (options.release ?? defaultRelease).nodeRestriction) ? [nodeRestriction] : []),
    ...taintingNodes(options),
    priorityAdmission,
    ...tolerating(options),
    defaultStorageClassAdmission,
    storageObjectInUse,
    runtimeClassAdmission,
    serviceAllocation(options.services)
  ].filter(({ name }) => !disabled.includes(name))
