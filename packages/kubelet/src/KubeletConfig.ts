import { defaultRelease, type Release, type ResourceList, type Taint } from "@rollcall/api"

/**
 * What a kubelet is told by its KubeletConfiguration and flags, as far as the modelled kubelet heeds it. Names are the real
 * ones, with the unit where a number needs one. Upstream: pkg/kubelet/apis/config/v1beta1/defaults.go.
 */
export interface KubeletConfig {
  readonly registerNode: boolean
  /** Applied only when the Node is created. */
  readonly registerWithTaints: ReadonlyArray<Taint>
  /** `--node-labels`; applied only when the Node is created. */
  readonly nodeLabels: Readonly<Record<string, string>>
  readonly providerID: string
  /** `--cloud-provider=external`: a cloud controller owns the addresses and takes the taint `uninitialized` away. */
  readonly externalCloudProvider: boolean
  readonly nodeStatusUpdateFrequencyMs: number
  readonly nodeStatusReportFrequencyMs: number
  readonly nodeLeaseDurationSeconds: number
  /** Absent: what the machine says, else 110. */
  readonly maxPods: number | undefined
  /** 0: no limit by core. */
  readonly podsPerCore: number
  readonly nodeStatusMaxImages: number
  readonly enableControllerAttachDetach: boolean
  readonly localStorageCapacityIsolation: boolean
  readonly systemReserved: ResourceList
  readonly kubeReserved: ResourceList
  /** Quantities or percentages by signal. */
  readonly evictionHard: Readonly<Record<string, string>>
  readonly port: number
  readonly maxContainerRestartPeriodMs: number
  /** Feature gate KubeletRegistrationGetOnExistsOnly. */
  readonly registrationGetOnExistsOnly: boolean
}

const defaults: Omit<KubeletConfig, "nodeStatusReportFrequencyMs"> = {
  registerNode: true,
  registerWithTaints: [],
  nodeLabels: {},
  providerID: "",
  externalCloudProvider: false,
  nodeStatusUpdateFrequencyMs: 10_000,
  nodeLeaseDurationSeconds: 40,
  maxPods: undefined,
  podsPerCore: 0,
  nodeStatusMaxImages: 50,
  enableControllerAttachDetach: true,
  localStorageCapacityIsolation: true,
  systemReserved: {},
  kubeReserved: {},
  evictionHard: {
    "memory.available": "100Mi",
    "nodefs.available": "10%",
    "nodefs.inodesFree": "5%",
    "imagefs.available": "15%",
    "imagefs.inodesFree": "5%"
  },
  port: 10_250,
  maxContainerRestartPeriodMs: 300_000,
  registrationGetOnExistsOnly: false
}

/**
 * Fills in the defaults of the release. A report frequency that is not given equals an update frequency that is; `evictionHard` replaces the
 * whole default set.
 */
export const kubeletConfig = (
  given: Partial<KubeletConfig> = {},
  release: Release = defaultRelease
): KubeletConfig => ({
  ...defaults,
  nodeStatusReportFrequencyMs: given.nodeStatusUpdateFrequencyMs ?? release.nodeStatusReportFrequencySeconds * 1000,
  ...given
})
