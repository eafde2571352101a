import { isDeepStrictEqual } from "node:util"
import { ApiError } from "@rollcall/cluster"
import { PodGarbageCollector } from "@rollcall/node-controller"
import * as Result from "effect/Result"
import type { Adapter, Json } from "../../Adapter.ts"
import { SimulatedApi, toWire } from "./SimulatedApi.ts"

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

const withoutTimes = ({ lastTransitionTime: _, observedGeneration: __, ...condition }: Json): Json => condition

const notFound = new ApiError({
  status: { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", code: 404, reason: "NotFound" }
})

/** Runs the pod garbage collector over the steps of a vector. A step either changes objects or is one collection. */
export const podGc: Adapter = ({ given, when }) => {
  const api = new SimulatedApi()
  const namesOf = (nodes: ReadonlyArray<Json> = []): ReadonlyArray<string> => nodes.map(({ name }) => name)
  let apiNodes: ReadonlyArray<string> = given.apiNodes ?? namesOf(given.nodes)
  let patched: Record<string, Json> = {}
  let reasons: Record<string, string> = {}
  let deleted: Array<string> = []
  api.intercept = (request) => {
    if (request.verb === "get" && request.kind === "Node") {
      return apiNodes.includes(request.name)
        ? Result.succeed({ metadata: { name: request.name } })
        : Result.fail(notFound)
    }
    if (request.verb === "patch" && request.kind === "Pod") {
      const before = api.find("Pod", request.name)
      const { conditions = [], phase } = api.applyPatch(before, request.body).status
      const isAdded = (condition: Json) =>
        !before.status.conditions?.some((old: Json) => isDeepStrictEqual(old, condition))
      patched[request.name] = { phase, conditions: conditions.filter(isAdded).map(withoutTimes) }
      return undefined
    }
    if (request.verb !== "delete") return undefined
    const pod = api.find("Pod", request.name)
    if (pod === undefined) return Result.fail(notFound)
    if (request.options?.gracePeriodSeconds !== 0) throw new Error(`${request.name} was not force deleted`)
    deleted.push(request.name)
    api.remove("Pod", request.name)
    return Result.succeed(pod)
  }
  for (const node of given.nodes ?? []) api.put("Node", nodeOf(node))
  for (const pod of given.pods ?? []) api.put("Pod", podOf(pod))
  const collector = api.start(PodGarbageCollector.make({ terminatedPodGCThreshold: given.terminatedPodThreshold }), {
    podCollected: ({ pod, reason }) => {
      reasons[pod] ??= reason
    }
  })
  /** The steps of a vector that change objects, by name. */
  const changes: Record<string, (step: Json) => void> = {
    setNodes: ({ nodes }) => {
      for (const { metadata } of api.all("Node"))
        if (!namesOf(nodes).includes(metadata.name)) api.remove("Node", metadata.name)
      for (const node of nodes) api.put("Node", nodeOf(node))
    },
    setApiNodes: ({ apiNodes: names }) => {
      apiNodes = names
    },
    removePods: ({ pods }) => {
      for (const name of pods) api.remove("Pod", name)
    }
  }
  const afterSteps = (when as ReadonlyArray<Json>).map((step) => {
    api.advance(step.at)
    const change = changes[step.op]
    if (change !== undefined) {
      change(step)
      return null
    }
    if (step.op !== "gc") throw new Error(`unknown step ${step.op}`)
    deleted = []
    patched = {}
    reasons = {}
    api.run(collector.collect)
    api.settle()
    return { deleted: deleted.toSorted(), patched, reasons }
  })
  return { afterSteps }
}

/** Runs one collection over one pod on one node, which may be out of service. */
export const podGcOutOfService: Adapter = ({ given }) => {
  const { deletionTimestamp, phase, tolerations } = given.pod
  const api = new SimulatedApi()
  api.put("Node", nodeOf({ name: "node", ...given.node }))
  api.put("Pod", {
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
  api.intercept = (request) => {
    if (request.kind === "Pod" && request.verb === "patch") statusPatch = (request.body as Json).status
    if (request.kind !== "Pod" || request.verb !== "delete") return undefined
    outcome = { deleted: true, gracePeriodSeconds: request.options?.gracePeriodSeconds, statusPatch, reasonLabel }
    const pod = api.find("Pod", "pod")
    api.remove("Pod", "pod")
    return Result.succeed(pod)
  }
  const collector = api.start(PodGarbageCollector.make(), {
    podCollected: ({ reason }) => {
      reasonLabel = reason
    }
  })
  api.run(collector.collect)
  return outcome
}
