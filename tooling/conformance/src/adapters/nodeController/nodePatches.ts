import type { Taint } from "@rollcall/api"
import { NodeLifecycleController } from "@rollcall/node-controller"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Adapter, Json } from "../../Adapter.ts"
import { SimulatedApi, toWire } from "./SimulatedApi.ts"

/**
 * Runs the node lifecycle controller with one node. Returns the resulting node and the bodies of the patches that the
 * controller sent.
 */
const afterLifecycle = (given: Json): { readonly node: Json; readonly patches: ReadonlyArray<Json> } => {
  const api = new SimulatedApi()
  const patches: Array<Json> = []
  api.intercept = (request) => {
    if (request.verb === "patch" && request.kind === "Node") patches.push(request.body)
    return undefined
  }
  api.put("Node", {
    apiVersion: "v1",
    ...given,
    metadata: { uid: "n", creationTimestamp: toWire(0), name: "n", ...given.metadata }
  })
  // No NoExecute taint is due at a rate of 0.
  const controller = NodeLifecycleController.layer({ nodeEvictionRate: 0, secondaryNodeEvictionRate: 0 })
  api.start(Effect.flatMap(Effect.scope, (scope) => Layer.buildWithScope(controller, scope)))
  return { node: api.find("Node", given.metadata?.name ?? "n"), patches }
}

const taintsOf = (node: Json): ReadonlyArray<Taint> => node.spec?.taints ?? []

/** Returns the taints of the first list that the second lacks. */
const taintsMissingIn = (taints: ReadonlyArray<Taint>, others: ReadonlyArray<Taint>): ReadonlyArray<Taint> =>
  taints.filter(({ effect, key }) => !others.some((other) => other.key === key && other.effect === effect))

export const conditionTaints: Adapter = ({ given }) => {
  const before = taintsOf(given.node)
  const { node, patches } = afterLifecycle(given.node)
  const after = taintsOf(node)
  return {
    patched: patches.some(({ spec }) => spec?.taints !== undefined),
    add: taintsMissingIn(after, before).map(({ timeAdded: _, ...taint }) => taint),
    remove: taintsMissingIn(before, after),
    taints: after.map((taint) => (taint.timeAdded === toWire(0) ? { ...taint, timeAdded: "now" } : taint))
  }
}

export const labelReconcile: Adapter = ({ given }) => {
  const { node, patches } = afterLifecycle({ metadata: { labels: given.labels ?? undefined } })
  return {
    labels: node.metadata.labels ?? given.labels,
    patched: patches.some(({ metadata }) => metadata?.labels !== undefined)
  }
}
