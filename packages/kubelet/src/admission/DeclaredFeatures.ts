import { type FeatureGates, neededNodeFeatures, type Pod, type Release } from "@rollcall/api"
import type { PodRefusal } from "./PodAdmitHandler.ts"

/** The features that are declared if the gate with the same name is on. */
const gatedFeatures = [
  "ExtendWebSocketsToKubelet",
  "InPlacePodLevelResourcesVerticalScaling",
  "InPlacePodVerticalScalingInitContainers",
  "RestartAllContainersOnContainerExits"
] as const

/** The settings that determine the declared features. */
export interface DeclaredBy {
  readonly featureGates: Pick<FeatureGates, (typeof gatedFeatures)[number] | "NodeDeclaredFeatures">
  readonly cpuManagerPolicy: string
}

/** Whether the feature GuaranteedQoSPodCPUResize is declared. 1.36 removed it from the list. */
const declaresResize = ({ cpuManagerPolicy }: DeclaredBy, { name }: Pick<Release, "name">): boolean =>
  // Exclusive CPUs cannot be resized in place. With the policy none there are no exclusive CPUs.
  name === "1.35" && cpuManagerPolicy === "none"

/**
 * Returns the features that a node declares, sorted, or undefined if it declares none. Schedulers only bind pods whose
 * required features are among them. UserNamespacesHostNetworkSupport is never declared: no runtime here has user
 * namespaces for pods in the host's network. Upstream:
 * staging/src/k8s.io/component-helpers/nodedeclaredfeatures/features/registry.go; KEP-5328.
 */
export const declaredFeatures = (
  config: DeclaredBy,
  release: Pick<Release, "name">
): ReadonlyArray<string> | undefined => {
  const { featureGates } = config
  if (!featureGates.NodeDeclaredFeatures) return undefined
  const features = gatedFeatures.filter((gate) => featureGates[gate])
  return declaresResize(config, release) ? ["GuaranteedQoSPodCPUResize", ...features] : features
}

/**
 * Returns the refusal of a pod that needs a feature which the node does not declare, or undefined if there is none.
 * Upstream: pkg/kubelet/lifecycle/handlers.go declaredFeaturesAdmitHandler.
 */
export const declaredFeaturesRefusal = (pod: Pod, declared: ReadonlyArray<string>): PodRefusal | undefined => {
  const needed = neededNodeFeatures(pod)
  if (needed.length === 0) return undefined
  const missing = needed.filter((feature) => !declared.includes(feature))
  if (missing.length === 0) return undefined
  return {
    reason: "PodFeatureUnsupported",
    message: `Pod requires node features that are not available: ${missing.join(", ")}`
  }
}
