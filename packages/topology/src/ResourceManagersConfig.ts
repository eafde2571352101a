import { defaultRelease, type FeatureGates, featureGatesOf } from "@rollcall/api"
import type { ReservedMemory } from "./memory/reservedMemory.ts"
import type { ReservationConfig } from "./reservations.ts"

/** The fields of a KubeletConfiguration for the resource managers, under their own names. */
export interface ResourceManagersConfig extends ReservationConfig {
  readonly topologyManagerPolicy: string
  readonly topologyManagerScope: string
  readonly topologyManagerPolicyOptions: Readonly<Record<string, string>>
  readonly cpuManagerPolicy: string
  readonly cpuManagerPolicyOptions: Readonly<Record<string, string>>
  readonly memoryManagerPolicy: string
  readonly reservedMemory: ReservedMemory
  readonly featureGates: Pick<
    FeatureGates,
    "CPUManagerPolicyAlphaOptions" | "CPUManagerPolicyBetaOptions" | "PodLevelResources" | "PodLevelResourceManagers"
  >
}

/** Fills in a kubelet's defaults: all managers are off, and only the eviction threshold of 100Mi is reserved. */
export const resourceManagersConfig = (given: Partial<ResourceManagersConfig> = {}): ResourceManagersConfig => ({
  topologyManagerPolicy: "none",
  topologyManagerScope: "container",
  topologyManagerPolicyOptions: {},
  cpuManagerPolicy: "none",
  cpuManagerPolicyOptions: {},
  reservedSystemCPUs: "",
  memoryManagerPolicy: "None",
  reservedMemory: [],
  kubeReserved: {},
  systemReserved: {},
  evictionHard: { "memory.available": "100Mi" },
  featureGates: featureGatesOf(defaultRelease),
  ...given
})

/**
 * Whether any manager is on. If all are off and there are no devices, every pod is admitted unchanged, so that a
 * kubelet needs no managers.
 */
export const usesResourceManagers = (
  config: Pick<ResourceManagersConfig, "topologyManagerPolicy" | "cpuManagerPolicy" | "memoryManagerPolicy">
): boolean =>
  config.topologyManagerPolicy !== "none" || config.cpuManagerPolicy !== "none" || config.memoryManagerPolicy !== "None"
