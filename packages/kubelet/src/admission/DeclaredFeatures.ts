import { type FeatureGates, neededNodeFeatures, type Pod, type Release } from "@rollcall/api"
import type { PodRefusal } from "./PodAdmitHandler.ts"

/** Features that are declared if the gate with the same name is on. */
const gated = [
  "ExtendWebSocketsToKubelet",
  "InPlacePodLevelResourcesVerticalScaling",
  "InPlacePodVerticalScalingInitContainers",
  "RestartAllContainersOnContainerExits"
] as const

/** The settings that determine the declared features. */
export interface DeclaredBy {
  readonly featureGates: Pick<FeatureGates, (typeof gated)[number] | "NodeDeclaredFeatures">
  readonly cpuManagerPolicy: string
}

/** 1.36 removed it from the list. */
const declaresResize = ({ cpuManagerPolicy }: DeclaredBy, { name }: Pick<Release, "name">): boolean =>
  // Exclusive CPUs cannot be resized in place; without a CPU manager there are none.
  name === "1.35" && cpuManagerPolicy === "none"

/**
 * The features that a node declares, so that schedulers only bind pods whose required features are among them; in
 * order. Undefined: it declares none. No runtime here has user namespaces for pods in the host's network
 * (UserNamespacesHostNetworkSupport).
 * Upstream: staging/src/k8s.io/component-helpers/nodedeclaredfeatures/features/registry.go; KEP-5328.
 */
export const declaredFeatures = (
  config: DeclaredBy,
  release: Pick<Release, "name">
): ReadonlyArray<string> | undefined => {
  const { featureGates } = config
  if (!featureGates.NodeDeclaredFeatures) return undefined
  const features = gated.filter((gate) => featureGates[gate])
  return declaresResize(config, release) ? ["GuaranteedQoSPodCPUResize", ...features] : features
}

/** Upstream: pkg/kubelet/lifecycle/handlers.go declaredFeaturesAdmitHandler. */
export const refusedForDeclared = (pod: Pod, declared: ReadonlyArray<string>): PodRefusal | undefined => {
  const missing = neededNodeFeatures(pod).filter((feature) => !declared.includes(feature))
  if (missing.length === 0) return undefined
  return {
    reason: "PodFeatureUnsupported",
    message: `Pod requires node features that are not available: ${missing.join(", ")}`
  }
}
