import { defaultRelease } from "@rollcall/api"
import type { AdmissionPlugin } from "../../core/admission/Admission.ts"
import {
  claimResizeAdmission,
  type DefaultAdmissionOptions,
  defaultAdmissionPlugins,
  defaultIngressClassAdmission,
  defaultStorageClassAdmission,
  podTopologyLabels,
  runtimeClassAdmission,
  type ServiceAllocationOptions,
  serviceAllocation,
  storageObjectInUse
} from "../../core/admission/index.ts"
import { nodeRestriction } from "./NodeRestriction.ts"
import { serviceAccountAdmission } from "./ServiceAccount.ts"

export interface ServerAdmissionOptions extends DefaultAdmissionOptions {
  /** The address ranges of services. */
  readonly services?: ServiceAllocationOptions
  /**
   * Whether NodeRestriction runs, as in every cluster with kubelets (`--enable-admission-plugins=NodeRestriction`).
   * Default: true if the release has it.
   */
  readonly nodeRestriction?: boolean
  /** The names of plugins that do not run (`--disable-admission-plugins`). */
  readonly disabled?: ReadonlyArray<string>
}

/**
 * Returns the admission plugins of a server that other processes reach, in the order of kube-apiserver's chain: the
 * default ones, those for service accounts, and NodeRestriction. The pipeline itself refuses creation in a missing or
 * terminating namespace.
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
    claimResizeAdmission,
    runtimeClassAdmission,
    defaultIngressClassAdmission,
    podTopologyLabels,
    serviceAllocation(options.services)
  ].filter(({ name }) => !disabled.includes(name))
