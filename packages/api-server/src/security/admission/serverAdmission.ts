import { defaultRelease } from "@rollcall/api"
import type { AdmissionPlugin } from "../../core/admission/Admission.ts"
import {
  type DefaultAdmissionOptions,
  defaultAdmissionPlugins,
  defaultStorageClassAdmission,
  runtimeClassAdmission,
  type ServiceAllocationOptions,
  serviceAllocation,
  storageObjectInUse
} from "../../core/admission/index.ts"
import { nodeRestriction } from "./NodeRestriction.ts"
import { serviceAccountAdmission } from "./ServiceAccount.ts"

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
    ...defaultAdmissionPlugins(options),
    defaultStorageClassAdmission,
    storageObjectInUse,
    runtimeClassAdmission,
    serviceAllocation(options.services)
  ].filter(({ name }) => !disabled.includes(name))
