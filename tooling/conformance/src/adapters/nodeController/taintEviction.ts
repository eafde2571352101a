import { TaintEvictionController } from "@rollcall/node-controller"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Adapter, Json } from "../../Adapter.ts"
import { Stage } from "./Stage.ts"

const seconds = (ms: number): number => Math.round(ms * 1000) / 1000

/** The running taint eviction controller in virtual time. */
export const podEviction: Adapter = ({ when }) => {
  const stage = new Stage()
  const deletions: Array<Json> = []
  stage.intercept = (request) => {
    if (request.verb === "delete")
      deletions.push({ at: seconds(stage.seconds), pod: `${request.namespace}/${request.name}` })
    return undefined
  }
  const controller = stage.start(
    Effect.flatMap(Effect.scope, (scope) => Layer.buildWithScope(TaintEvictionController.layer, scope))
  )
  const events: Array<Json> = []
  const listen = () => {
    for (const { at, involvedObject, message } of stage.recordedEvents.splice(0)) {
      events.push({ at: seconds(at), pod: `${involvedObject.namespace}/${involvedObject.name}`, message })
    }
  }
  const steps: Record<string, (step: Json) => void> = {
    setTaints: ({ name, taints }) => {
      const node = stage.find("Node", name) ?? { apiVersion: "v1", metadata: { name } }
      stage.put("Node", { ...node, spec: { taints } })
    },
    deleteNode: ({ name }) => stage.remove("Node", name),
    setPod: ({ name, nodeName, tolerations }) => {
      const pod = stage.find("Pod", name) ?? { apiVersion: "v1", metadata: { name, namespace: "default", uid: name } }
      stage.put("Pod", { ...pod, spec: { nodeName, tolerations } })
    },
    removePod: ({ name }) => stage.remove("Pod", name),
    advance: () => undefined
  }
  for (const step of when as ReadonlyArray<Json>) {
    stage.advance(step.at)
    const act = steps[step.op]
    if (act === undefined) throw new Error(`unknown step ${step.op}`)
    act(step)
    stage.settle()
    listen()
  }
  const pending = Context.get(controller, TaintEvictionController)
    .pending()
    .map(({ dueMs, namespace, pod }) => ({ at: seconds(stage.secondsOf(dueMs)), pod: `${namespace}/${pod}` }))
  return { deletions, events, pending }
}
