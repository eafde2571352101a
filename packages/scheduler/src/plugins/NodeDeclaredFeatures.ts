import { neededNodeFeatures } from "@rollcall/api"
import { type FilterPlugin, skip } from "../Plugin.ts"
import { unresolvable } from "./claims.ts"
import { orTaintChange } from "./orTaintChange.ts"

const name = "NodeDeclaredFeatures"

const missingFeatures = unresolvable(name, "node(s) didn't match Pod's required features")

/**
 * Pods that use certain new features only run on nodes that declare these in status.declaredFeatures.
 * Upstream: pkg/scheduler/framework/plugins/nodedeclaredfeatures; KEP-5328.
 */
export const nodeDeclaredFeatures: FilterPlugin = {
  name,
  prepare: ({ pod }) => {
    const needed = neededNodeFeatures(pod)
    if (needed.length === 0) return skip
    return {
      _tag: "Check",
      check: ({ node }) => {
        const declared = node?.status?.declaredFeatures ?? []
        return needed.every((feature) => declared.includes(feature)) ? undefined : missingFeatures
      },
      local: true
    }
  },
  hint: orTaintChange(
    (_, event) => event._tag === "NodeAdded" || (event._tag === "NodeUpdated" && event.change.declaredFeatures)
  )
}
