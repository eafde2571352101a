import type { Container } from "./objects/Container.ts"
import type { Pod } from "./objects/Pod.ts"

const restartsAll = ({ restartPolicyRules }: Container): boolean =>
  restartPolicyRules?.some(({ action }) => action === "RestartAllContainers") === true

/** Whether the exit of a container may restart all containers of the pod. Upstream: pkg/api/v1/pod/util.go AllContainersCouldRestart. */
export const mayRestartAllContainers = ({ containers, initContainers }: Pod["spec"]): boolean =>
  containers.some(restartsAll) || initContainers?.some(restartsAll) === true

/** The features that a node must declare, and the pods that need them. */
const features = Object.entries<(spec: Pod["spec"]) => boolean>({
  RestartAllContainersOnContainerExits: mayRestartAllContainers,
  UserNamespacesHostNetworkSupport: ({ hostNetwork, hostUsers }) => hostNetwork === true && hostUsers === false
})

const NONE: ReadonlyArray<string> = []

/**
 * Returns the declared features that a node must have to start the pod, in order. Upstream:
 * staging/src/k8s.io/component-helpers/nodedeclaredfeatures, InferForPodScheduling; KEP-5328.
 */
export const neededNodeFeatures = ({ spec }: Pod): ReadonlyArray<string> =>
  features.some(([, isNeededBy]) => isNeededBy(spec))
    ? features.flatMap(([feature, isNeededBy]) => (isNeededBy(spec) ? [feature] : []))
    : NONE
