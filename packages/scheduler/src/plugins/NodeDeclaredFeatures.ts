import type { Container, Pod } from "@rollcall/api"
import { type FilterPlugin, skip } from "../Plugin.ts"
import { unresolvable } from "./claims.ts"

const name = "NodeDeclaredFeatures"

const lacking = unresolvable(name, "node(s) didn't match Pod's required features")

const restartsAll = ({ restartPolicyRules }: Container): boolean =>
  restartPolicyRules?.some(({ action }) => action === "RestartAllContainers") === true

/** Features that a node must have declared, and which pods need them. */
const features: Readonly<Record<string, (spec: Pod["spec"]) => boolean>> = {
  RestartAllContainersOnContainerExits: ({ containers, initContainers }) =>
    containers.some(restartsAll) || initContainers?.some(restartsAll) === true,
  UserNamespacesHostNetworkSupport: ({ hostNetwork, hostUsers }) => hostNetwork === true && hostUsers === false
}

const neededFeatures = (spec: Pod["spec"]): ReadonlyArray<string> =>
  Object.entries(features).flatMap(([feature, isNeededBy]) => (isNeededBy(spec) ? [feature] : []))

/**
 * Pods that use something new go to nodes that say they know it.
 * Upstream: pkg/scheduler/framework/plugins/nodedeclaredfeatures, component-helpers/nodedeclaredfeatures/features; KEP-5328.
 */
export const nodeDeclaredFeatures: FilterPlugin = {
  name,
  prepare: ({ pod }) => {
    const needed = neededFeatures(pod.spec)
    if (needed.length === 0) return skip
    return {
      _tag: "Check",
      check: ({ node }) => {
        const declared = node?.status?.declaredFeatures ?? []
        return needed.every((feature) => declared.includes(feature)) ? undefined : lacking
      }
    }
  },
  hint: (_, event) => event._tag === "NodeAdded" || (event._tag === "NodeUpdated" && event.change.declaredFeatures)
}
