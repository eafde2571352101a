import { TaintEvictionController } from "@rollcall/node-controller"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Adapter, Json } from "../../Adapter.ts"
import { SimulatedApi } from "./SimulatedApi.ts"

const seconds = (ms: number): number => Math.round(ms * 1000) / 1000

/** The running taint eviction controller in virtual time. */
export const podEviction: Adapter = ({ when }) => {
  const api = new SimulatedApi()
  const deletions: Array<Json> = []
  api.intercept = (request) => {
    if (request.verb === "delete")
      deletions.push({ at: seconds(api.seconds), pod: `${request.namespace}/${request.name}` })
    return undefined
  }
  const controller = api.start(
    Effect.flatMap(Effect.scope, (scope) => Layer.buildWithScope(TaintEvictionController.layer, scope))
  )
  const events: Array<Json> = []
  const listen = () => {
    for (const { at, involvedObject, message } of api.recordedEvents.splice(0)) {
      events.push({ at: seconds(at), pod: `${involvedObject.namespace}/${involvedObject.name}`, message })
    }
  }
  const steps: Record<string, (step: Json) => void> = {
    setTaints: ({ name, taints }) => {
      const node = api.find("Node", name) ?? { apiVersion: "v1", metadata: { name } }
      api.put("Node", { ...node, spec: { taints } })
    },
    deleteNode: ({ name }) => api.remove("Node", name),
    setPod: ({ name, nodeName, tolerations }) => {
      const pod = api.find("Pod", name) ?? { apiVersion: "v1", metadata: { name, namespace: "default", uid: name } }
      api.put("Pod", { ...pod, spec: { nodeName, tolerations } })
    },
    removePod: ({ name }) => api.remove("Pod", name),
    advance: () => undefined
  }
  for (const step of when as ReadonlyArray<Json>) {
    api.advance(step.at)
    const act = steps[step.op]
    if (act === undefined) throw new Error(`unknown step ${step.op}`)
    act(step)
    api.settle()
    listen()
  }
  const pending = Context.get(controller, TaintEvictionController)
    .pending()
    .map(({ dueMs, namespace, pod }) => ({ at: seconds(api.secondsOf(dueMs)), pod: `${namespace}/${pod}` }))
  return { deletions, events, pending }
}
