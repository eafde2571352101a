import { type Node, type Taint, taintNotReady } from "@rollcall/api"
import * as Result from "effect/Result"
import type { AdmissionPlugin } from "./Admission.ts"

const notReady: Taint = { key: taintNotReady, effect: "NoSchedule" }

/** The taints of a new node: not ready until the node controller has seen it. The same list when they say so already. */
export const withNotReadyTaint = (taints: ReadonlyArray<Taint>): ReadonlyArray<Taint> =>
  taints.some(({ effect, key }) => key === notReady.key && effect === notReady.effect) ? taints : [...taints, notReady]

/**
 * Keeps pods off every new node, whoever creates it, until it has shown that it is ready.
 * Upstream: plugin/pkg/admission/nodetaint/admission.go.
 */
export const taintNodesByCondition: AdmissionPlugin = {
  name: "TaintNodesByCondition",
  admits: (kind, verb, subresource) => kind === "Node" && verb === "create" && subresource === undefined,
  mutate: ({ object }) => {
    const node = object as Node
    const given = node.spec?.taints ?? []
    const taints = withNotReadyTaint(given)
    return Result.succeed(taints === given ? node : { ...node, spec: { ...node.spec, taints } })
  }
}
