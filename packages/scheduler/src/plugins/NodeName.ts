import { type FilterPlugin, type Rejection, skip } from "../Plugin.ts"
import { orTaintChange } from "./orTaintChange.ts"

const name = "NodeName"

const otherNode: Rejection = {
  code: "UnschedulableAndUnresolvable",
  plugin: name,
  reasons: ["node(s) didn't match the requested node name"]
}

/** A pod with spec.nodeName only fits that node. Upstream: pkg/scheduler/framework/plugins/nodename. */
export const nodeName: FilterPlugin = {
  name,
  prepare: ({ pod }) => {
    const requestedName = pod.spec.nodeName ?? ""
    if (requestedName === "") return skip
    return { _tag: "Check", check: (node) => (node.name === requestedName ? undefined : otherNode) }
  },
  hint: orTaintChange(({ pod }, event) => event._tag === "NodeAdded" && event.node.metadata.name === pod.spec.nodeName)
}
