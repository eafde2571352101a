import type { Container } from "./objects/Container.ts"
import type { Pod } from "./objects/Pod.ts"

const restartsAll = ({ restartPolicyRules }: Container): boolean =>
  restartPolicyRules?.some(({ action }) => action === "RestartAllContainers") === true

/** Features that a node must have declared, and which pods need them. */
const features: Readonly<Record<string, (spec: Pod["spec"]) => boolean>> = {
  RestartAllContainersOnContainerExits: ({ containers, initContainers }) =>
    containers.some(restartsAll) || initContainers?.some(restartsAll) === true,
  UserNamespacesHostNetworkSupport: ({ hostNetwork, hostUsers }) => hostNetwork === true && hostUsers === false
}

/**
 * The declared features without which a pod cannot be started on a node; in order.
 * Upstream: staging/src/k8s.io/component-helpers/nodedeclaredfeatures, InferForPodScheduling; KEP-5328.
 */
export const neededNodeFeatures = ({ spec }: Pod): ReadonlyArray<string> =>
  Object.entries(features).flatMap(([feature, isNeededBy]) => (isNeededBy(spec) ? [feature] : []))
