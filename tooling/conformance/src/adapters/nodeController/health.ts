import type { Lease, Node, Pod } from "@rollcall/api"
import { ApiError, type ApiRequest } from "@rollcall/cluster"
import { NodeLifecycleController, type NodeLifecycleControllerShape } from "@rollcall/node-controller"
import * as Result from "effect/Result"
import type { Adapter, Json } from "../../Adapter.ts"
import { fromWire, SimulatedApi, toWire } from "./SimulatedApi.ts"

const TIME_FIELDS = ["lastHeartbeatTime", "lastTransitionTime", "timeAdded"]

const convertTimes = (item: Json, time: (value: Json) => Json): Json =>
  Object.fromEntries(Object.entries(item).map(([key, value]) => [key, TIME_FIELDS.includes(key) ? time(value) : value]))

const toWireTimes = (items: ReadonlyArray<Json> | undefined): Json => items?.map((item) => convertTimes(item, toWire))
const toSecondTimes = (items: ReadonlyArray<Json> | undefined): Json =>
  (items ?? []).map((item) => convertTimes(item, fromWire))

const nodeOf = ({ metadata, spec, status }: Json): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { uid: metadata.name, ...metadata, creationTimestamp: toWire(metadata.creationTimestamp ?? 0) },
  spec: { ...spec, ...(spec?.taints === undefined ? {} : { taints: toWireTimes(spec.taints) }) },
  status: { ...status, ...(status?.conditions === undefined ? {} : { conditions: toWireTimes(status.conditions) }) }
})

const leaseOf = (name: string, renewTime: number): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name, namespace: "kube-node-lease" },
  spec: { renewTime: toWire(renewTime) }
})

const podOf = (pod: Json): Pod => ({ apiVersion: "v1", kind: "Pod", ...pod })

/** Returns the settings of a case, with the controller's defaults. */
const settingsOf = ({ nodeMonitorGracePeriod, nodeStartupGracePeriod, ...flags }: Json = {}) => ({
  ...(nodeMonitorGracePeriod === undefined ? {} : { nodeMonitorGracePeriodMs: nodeMonitorGracePeriod * 1000 }),
  ...(nodeStartupGracePeriod === undefined ? {} : { nodeStartupGracePeriodMs: nodeStartupGracePeriod * 1000 }),
  ...flags
})

const readyOf = (pod: Json): Json =>
  pod.status?.conditions?.find((condition: Json) => condition.type === "Ready")?.status

const observedState = (api: SimulatedApi, lifecycle: NodeLifecycleControllerShape): Json => {
  const zones = lifecycle.zones().filter(({ state }) => state !== undefined)
  return {
    nodes: Object.fromEntries(
      api
        .all("Node")
        .map((node) => [
          node.metadata.name,
          { conditions: toSecondTimes(node.status.conditions), taints: toSecondTimes(node.spec.taints) }
        ])
    ),
    podsReady: Object.fromEntries(api.all("Pod").map((pod) => [pod.metadata.name, readyOf(pod)])),
    events: api.recordedEvents.splice(0).map(({ involvedObject, message, reason, type }) => ({
      object: `${involvedObject.kind}/${involvedObject.name}`,
      type,
      reason,
      message
    })),
    zoneStates: Object.fromEntries(zones.map(({ state, zoneKey }) => [zoneKey, state])),
    limiters: Object.fromEntries(
      zones.map(({ limiter: { kind, qps }, zoneKey }) => [zoneKey, kind === "tokenBucket" ? { kind, qps } : { kind }])
    )
  }
}

const internalError = new ApiError({
  status: { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", code: 500, reason: "InternalError" }
})

/**
 * Runs the node lifecycle controller over the steps of a vector. A step either changes objects or is one pass of the
 * controller.
 */
export const nodeHealth: Adapter = ({ given, when }) => {
  const api = new SimulatedApi()
  const remainingFailures: Record<string, number> = { Node: 0, Pod: 0 }
  api.intercept = (request: ApiRequest) => {
    if (request.verb !== "update" || (remainingFailures[request.kind] ?? 0) === 0) return undefined
    remainingFailures[request.kind] = (remainingFailures[request.kind] ?? 0) - 1
    return Result.fail(internalError)
  }
  for (const node of given.nodes ?? []) api.put("Node", nodeOf(node))
  for (const { name, renewTime } of given.leases ?? []) api.put("Lease", leaseOf(name, renewTime))
  for (const pod of given.pods ?? []) api.put("Pod", podOf(pod))
  const controller = NodeLifecycleController.make(settingsOf(given.flags))
  let lifecycle = api.start(controller)

  const changeNode = (step: Json, to: (node: Json) => Json) => api.put("Node", to(api.find("Node", step.name)))
  const changes: Record<string, (step: Json) => void> = {
    setConditions: (step) =>
      changeNode(step, (node) => ({ ...node, status: { ...node.status, conditions: toWireTimes(step.conditions) } })),
    setTaints: (step) =>
      changeNode(step, (node) => ({ ...node, spec: { ...node.spec, taints: toWireTimes(step.taints) } })),
    setLease: ({ name, renewTime }) => api.put("Lease", leaseOf(name, renewTime)),
    deleteLease: ({ name }) => api.remove("Lease", name),
    addNode: ({ node }) => api.put("Node", nodeOf(node)),
    deleteNode: ({ name }) => api.remove("Node", name),
    addPod: ({ pod }) => api.put("Pod", podOf(pod)),
    failNodeStatusUpdates: ({ count }) => {
      remainingFailures.Node = count
    },
    failPodStatusUpdates: ({ count }) => {
      remainingFailures.Pod = count
    },
    restart: () => {
      lifecycle = api.start(controller)
    }
  }
  const afterSteps = (when as ReadonlyArray<Json>).map((step) => {
    api.advance(step.at)
    const changeObjects = changes[step.op]
    if (changeObjects !== undefined) {
      changeObjects(step)
      return null
    }
    api.recordedEvents.length = 0
    const { monitorNodeHealth, processPod, taintNoExecute } = lifecycle.steps
    if (step.op === "monitor") api.run(monitorNodeHealth)
    else if (step.op === "noExecutePass") api.run(taintNoExecute)
    else if (step.op === "processPod") api.run(processPod(`default/${step.pod}`))
    else throw new Error(`unknown step ${step.op}`)
    api.settle()
    return observedState(api, lifecycle)
  })
  return { afterSteps }
}
