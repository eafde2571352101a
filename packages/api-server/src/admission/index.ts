import { type ServiceAllocationOptions, serviceAllocation } from "../services/ServiceAllocation.ts"
import type { AdmissionPlugin } from "./Admission.ts"
import { type DefaultTolerationSecondsOptions, defaultTolerationSeconds } from "./DefaultTolerationSeconds.ts"
import { nodeRestriction } from "./NodeRestriction.ts"
import { priorityAdmission } from "./Priority.ts"
import { runtimeClassAdmission } from "./RuntimeClass.ts"
import { serviceAccountAdmission } from "./ServiceAccount.ts"
import { storageObjectInUse } from "./StorageObjectInUse.ts"
import { taintNodesByCondition } from "./TaintNodesByCondition.ts"

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

/** The plugins that shape what a rehearsal writes, in the order of kube-apiserver's chain. */
export const defaultAdmissionPlugins = (
  options: DefaultTolerationSecondsOptions = {}
): ReadonlyArray<AdmissionPlugin> => [taintNodesByCondition, priorityAdmission, defaultTolerationSeconds(options)]

export interface ServerAdmissionOptions extends DefaultTolerationSecondsOptions {
  /** Where the addresses of services come from. */
  readonly services?: ServiceAllocationOptions
  /** `--enable-admission-plugins=NodeRestriction`, as every cluster with kubelets has it. Default: true. */
  readonly nodeRestriction?: boolean
}

/**
 * The plugins of a server that others reach, in the order of kube-apiserver's chain: those, and who pods run as, and what kubelets
 * may not write. That nothing is created in a namespace that is missing or ending the pipeline itself sees to.
 */
export const serverAdmissionPlugins = (options: ServerAdmissionOptions = {}): ReadonlyArray<AdmissionPlugin> => [
  serviceAccountAdmission,
  ...(options.nodeRestriction === false ? [] : [nodeRestriction]),
  taintNodesByCondition,
  priorityAdmission,
  defaultTolerationSeconds(options),
  storageObjectInUse,
  runtimeClassAdmission,
  serviceAllocation(options.services)
]
