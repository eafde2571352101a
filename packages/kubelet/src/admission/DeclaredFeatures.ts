import type { Container, FeatureGates, Pod } from "@rollcall/api"
import type { PodRefusal } from "./PodAdmitHandler.ts"

/** What decides which features a node declares. */
export interface DeclaredBy {
  readonly featureGates: Pick<
    FeatureGates,
    "InPlacePodLevelResourcesVerticalScaling" | "NodeDeclaredFeatures" | "RestartAllContainersOnContainerExits"
  >
  readonly cpuManagerPolicy: string
}

const RESTART_ALL = "RestartAllContainersOnContainerExits"

/**
 * Features under development that a node tells of, for schedulers that must not send it pods which need them; in order.
 * Undefined: it tells nothing. Upstream: staging/src/k8s.io/component-helpers/nodedeclaredfeatures; KEP-5328.
 */
export const declaredFeatures = ({ cpuManagerPolicy, featureGates }: DeclaredBy): ReadonlyArray<string> | undefined => {
  if (!featureGates.NodeDeclaredFeatures) return undefined
  const features: Array<string> = []
  // Exclusive CPUs cannot be resized in place; without a CPU manager there are none.
  if (cpuManagerPolicy === "none") features.push("GuaranteedQoSPodCPUResize")
  if (featureGates.InPlacePodLevelResourcesVerticalScaling) features.push("InPlacePodLevelResourcesVerticalScaling")
  if (featureGates.RestartAllContainersOnContainerExits) features.push(RESTART_ALL)
  return features
}

const restartsAll = ({ restartPolicyRules }: Container): boolean =>
  restartPolicyRules?.some(({ action }) => action === "RestartAllContainers") === true

/** The declared features without which a pod cannot be started; in order. */
export const neededFeatures = ({ spec }: Pod): ReadonlyArray<string> =>
  spec.containers.some(restartsAll) || spec.initContainers?.some(restartsAll) === true ? [RESTART_ALL] : []

/** Upstream: pkg/kubelet/lifecycle/handlers.go declaredFeaturesAdmitHandler. */
export const refusedForDeclared = (pod: Pod, declared: ReadonlyArray<string>): PodRefusal | undefined => {
  const missing = neededFeatures(pod).filter((feature) => !declared.includes(feature))
  if (missing.length === 0) return undefined
  return {
    reason: "PodFeatureUnsupported",
    message: `Pod requires node features that are not available: ${missing.join(", ")}`
  }
}
