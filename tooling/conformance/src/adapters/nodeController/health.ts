import type { Lease, Node, Pod } from "@rollcall/api"
import { ApiError, type ApiRequest } from "@rollcall/cluster"
import { NodeLifecycleController, type NodeLifecycleControllerShape } from "@rollcall/node-controller"
import * as Result from "effect/Result"
import type { Adapter, Json } from "../../Adapter.ts"
import { fromWire, Stage, toWire } from "./Stage.ts"

const times = ["lastHeartbeatTime", "lastTransitionTime", "timeAdded"]

const convert = (item: Json, time: (value: Json) => Json): Json =>
  Object.fromEntries(Object.entries(item).map(([key, value]) => [key, times.includes(key) ? time(value) : value]))

const wireAll = (items: ReadonlyArray<Json> | undefined): Json => items?.map((item) => convert(item, toWire))
const secondsAll = (items: ReadonlyArray<Json> | undefined): Json =>
  (items ?? []).map((item) => convert(item, fromWire))

const nodeOf = ({ metadata, spec, status }: Json): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { uid: metadata.name, ...metadata, creationTimestamp: toWire(metadata.creationTimestamp ?? 0) },
  spec: { ...spec, ...(spec?.taints === undefined ? {} : { taints: wireAll(spec.taints) }) },
  status: { ...status, ...(status?.conditions === undefined ? {} : { conditions: wireAll(status.conditions) }) }
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

const observe = (stage: Stage, lifecycle: NodeLifecycleControllerShape): Json => {
  const zones = lifecycle.zones().filter(({ state }) => state !== undefined)
  return {
    nodes: Object.fromEntries(
      stage
        .all("Node")
        .map((node) => [
          node.metadata.name,
          { conditions: secondsAll(node.status.conditions), taints: secondsAll(node.spec.taints) }
        ])
    ),
    podsReady: Object.fromEntries(stage.all("Pod").map((pod) => [pod.metadata.name, readyOf(pod)])),
    events: stage.recordedEvents.splice(0).map(({ involvedObject, message, reason, type }) => ({
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

const broken = new ApiError({
  status: { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", code: 500, reason: "InternalError" }
})

/** The whole node lifecycle controller, its passes called one by one. */
export const nodeHealth: Adapter = ({ given, when }) => {
  const stage = new Stage()
  const failing: Record<string, number> = { Node: 0, Pod: 0 }
  stage.intercept = (request: ApiRequest) => {
    if (request.verb !== "update" || (failing[request.kind] ?? 0) === 0) return undefined
    failing[request.kind] = (failing[request.kind] ?? 0) - 1
    return Result.fail(broken)
  }
  for (const node of given.nodes ?? []) stage.put("Node", nodeOf(node))
  for (const { name, renewTime } of given.leases ?? []) stage.put("Lease", leaseOf(name, renewTime))
  for (const pod of given.pods ?? []) stage.put("Pod", podOf(pod))
  const controller = NodeLifecycleController.make(settingsOf(given.flags))
  let lifecycle = stage.start(controller)

  const change = (step: Json, to: (node: Json) => Json) => stage.put("Node", to(stage.find("Node", step.name)))
  const setUps: Record<string, (step: Json) => void> = {
    setConditions: (step) =>
      change(step, (node) => ({ ...node, status: { ...node.status, conditions: wireAll(step.conditions) } })),
    setTaints: (step) => change(step, (node) => ({ ...node, spec: { ...node.spec, taints: wireAll(step.taints) } })),
    setLease: ({ name, renewTime }) => stage.put("Lease", leaseOf(name, renewTime)),
    deleteLease: ({ name }) => stage.remove("Lease", name),
    addNode: ({ node }) => stage.put("Node", nodeOf(node)),
    deleteNode: ({ name }) => stage.remove("Node", name),
    addPod: ({ pod }) => stage.put("Pod", podOf(pod)),
    failNodeStatusUpdates: ({ count }) => {
      failing.Node = count
    },
    failPodStatusUpdates: ({ count }) => {
      failing.Pod = count
    },
    restart: () => {
      lifecycle = stage.start(controller)
    }
  }
  const afterSteps = (when as ReadonlyArray<Json>).map((step) => {
    stage.advance(step.at)
    const setUp = setUps[step.op]
    if (setUp !== undefined) {
      setUp(step)
      return null
    }
    stage.recordedEvents.length = 0
    const { monitorNodeHealth, processPod, taintNoExecute } = lifecycle.steps
    if (step.op === "monitor") stage.run(monitorNodeHealth)
    else if (step.op === "noExecutePass") stage.run(taintNoExecute)
    else if (step.op === "processPod") stage.run(processPod(`default/${step.pod}`))
    else throw new Error(`unknown step ${step.op}`)
    stage.settle()
    return observe(stage, lifecycle)
  })
  return { afterSteps }
}
