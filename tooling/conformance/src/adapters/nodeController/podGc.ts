import { isDeepStrictEqual } from "node:util"
import { ApiError } from "@rollcall/cluster"
import { PodGarbageCollector } from "@rollcall/node-controller"
import * as Result from "effect/Result"
import type { Adapter, Json } from "../../Adapter.ts"
import { Stage, toWire } from "./Stage.ts"

const conditionsOf = (ready: string | null | undefined) =>
  ready === null || ready === undefined ? [] : [{ type: "Ready", status: ready }]

const nodeOf = ({ name, ready, taints }: Json): Json => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  spec: { taints: taints ?? [] },
  status: { conditions: conditionsOf(ready) }
})

const podOf = ({
  conditions,
  creationTimestamp = 0,
  deletionTimestamp,
  name,
  nodeName,
  phase,
  reason
}: Json): Json => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    namespace: "default",
    uid: name,
    creationTimestamp: toWire(creationTimestamp),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp: toWire(0) })
  },
  spec: { nodeName },
  status: {
    ...(phase === "" ? {} : { phase }),
    ...(reason === undefined ? {} : { reason }),
    ...(conditions === undefined ? {} : { conditions })
  }
})

const plain = ({ lastTransitionTime: _, observedGeneration: __, ...condition }: Json): Json => condition

const notFound = new ApiError({
  status: { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", code: 404, reason: "NotFound" }
})

/** The pod garbage collector, its collections called one by one. */
export const podGc: Adapter = ({ given, when }) => {
  const stage = new Stage()
  const namesOf = (nodes: ReadonlyArray<Json> = []): ReadonlyArray<string> => nodes.map(({ name }) => name)
  let apiNodes: ReadonlyArray<string> = given.apiNodes ?? namesOf(given.nodes)
  let patched: Record<string, Json> = {}
  let reasons: Record<string, string> = {}
  let deleted: Array<string> = []
  stage.intercept = (request) => {
    if (request.verb === "get" && request.kind === "Node") {
      return apiNodes.includes(request.name)
        ? Result.succeed({ metadata: { name: request.name } })
        : Result.fail(notFound)
    }
    if (request.verb === "patch" && request.kind === "Pod") {
      const before = stage.find("Pod", request.name)
      const { conditions = [], phase } = stage.patched(before, request.body).status
      const isAdded = (condition: Json) =>
        !before.status.conditions?.some((old: Json) => isDeepStrictEqual(old, condition))
      patched[request.name] = { phase, conditions: conditions.filter(isAdded).map(plain) }
      return undefined
    }
    if (request.verb !== "delete") return undefined
    const pod = stage.find("Pod", request.name)
    if (pod === undefined) return Result.fail(notFound)
    if (request.options?.gracePeriodSeconds !== 0) throw new Error(`${request.name} was not force deleted`)
    deleted.push(request.name)
    stage.remove("Pod", request.name)
    return Result.succeed(pod)
  }
  for (const node of given.nodes ?? []) stage.put("Node", nodeOf(node))
  for (const pod of given.pods ?? []) stage.put("Pod", podOf(pod))
  const collector = stage.start(PodGarbageCollector.make({ terminatedPodGCThreshold: given.terminatedPodThreshold }), {
    podCollected: ({ pod, reason }) => {
      reasons[pod] ??= reason
    }
  })
  const steps: Record<string, (step: Json) => void> = {
    setNodes: ({ nodes }) => {
      for (const { metadata } of stage.all("Node"))
        if (!namesOf(nodes).includes(metadata.name)) stage.remove("Node", metadata.name)
      for (const node of nodes) stage.put("Node", nodeOf(node))
    },
    setApiNodes: ({ apiNodes: names }) => {
      apiNodes = names
    },
    removePods: ({ pods }) => {
      for (const name of pods) stage.remove("Pod", name)
    }
  }
  const afterSteps = (when as ReadonlyArray<Json>).map((step) => {
    stage.advance(step.at)
    const act = steps[step.op]
    if (act !== undefined) {
      act(step)
      return null
    }
    if (step.op !== "gc") throw new Error(`unknown step ${step.op}`)
    deleted = []
    patched = {}
    reasons = {}
    stage.run(collector.collect)
    stage.settle()
    return { deleted: deleted.toSorted(), patched, reasons }
  })
  return { afterSteps }
}

/** One collection over one pod on one node, which may be out of service. */
export const podGcOutOfService: Adapter = ({ given }) => {
  const { deletionTimestamp, phase, tolerations } = given.pod
  const stage = new Stage()
  stage.put("Node", nodeOf({ name: "node", ...given.node }))
  stage.put("Pod", {
    apiVersion: "v1",
    metadata: {
      name: "pod",
      namespace: "default",
      uid: "pod",
      ...(deletionTimestamp === undefined || deletionTimestamp === null ? {} : { deletionTimestamp })
    },
    spec: { nodeName: "node", tolerations },
    status: { phase }
  })
  let outcome: Json = { deleted: false }
  let statusPatch: Json = null
  let reasonLabel: string | undefined
  stage.intercept = (request) => {
    if (request.kind === "Pod" && request.verb === "patch") statusPatch = (request.body as Json).status
    if (request.kind !== "Pod" || request.verb !== "delete") return undefined
    outcome = { deleted: true, gracePeriodSeconds: request.options?.gracePeriodSeconds, statusPatch, reasonLabel }
    const pod = stage.find("Pod", "pod")
    stage.remove("Pod", "pod")
    return Result.succeed(pod)
  }
  const collector = stage.start(PodGarbageCollector.make(), {
    podCollected: ({ reason }) => {
      reasonLabel = reason
    }
  })
  stage.run(collector.collect)
  return outcome
}
