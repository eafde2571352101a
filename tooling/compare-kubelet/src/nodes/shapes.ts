import type { Pod } from "@rollcall/api"
import type { ApiRequest } from "@rollcall/cluster"
import { NODE } from "../Life.ts"
import { container, createPod, deletePod, type PodOptions } from "../shapes/shape.ts"
import type { NodeShape, NodeStep } from "./NodeLife.ts"

const start = (at = 0): NodeStep => ({ at, process: "start" })
const stop = (at: number): NodeStep => ({ at, process: "stop" })
const ask = (at: number, request: ApiRequest): NodeStep => ({ at, request })

/** Creates a pod on the node. */
const pod = (at: number, name: string, options: PodOptions = {}): NodeStep => ({ ...createPod(options)(name), at })

const patchNode = (at: number, body: object): NodeStep =>
  ask(at, { verb: "patch", kind: "Node", name: NODE, patchType: "merge", body })

const taint = (at: number, effect: "NoExecute" | "NoSchedule"): NodeStep =>
  patchNode(at, { spec: { taints: [{ key: "example.com/out", value: "x", effect }] } })

const staticPod = (name: string, fields: Partial<Pod["metadata"]> = {}, spec: Partial<Pod["spec"]> = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", ...fields },
  spec: { containers: [container()], ...spec }
})

const check = (kind: string) => ({ exec: { command: ["check", kind] }, periodSeconds: 3 })

/** The shapes of nodes that are compared. */
export const nodeShapes: ReadonlyArray<NodeShape> = [
  { name: "node-starts", seconds: 35, steps: [start()] },
  { name: "node-restarts", seconds: 50, steps: [start(), stop(15), start(20)] },
  {
    name: "node-labelled",
    seconds: 35,
    config: {
      registerWithTaints: [{ key: "example.com/new", effect: "NoSchedule" }],
      nodeStatusReportFrequency: "10s"
    },
    steps: [start()]
  },
  {
    name: "pods-over-restart",
    seconds: 60,
    steps: [
      start(),
      pod(10, "re-plain"),
      pod(10, "re-probed", {
        containers: [container({ readinessProbe: check("readiness"), livenessProbe: check("liveness") })]
      }),
      pod(10, "re-job", { restartPolicy: "Never", behaviour: { app: { exitAfterSeconds: 18 } } }),
      pod(10, "re-crash", { behaviour: { app: { exitAfterSeconds: 2, exitCode: 1 } } }),
      pod(10, "re-deleted", { behaviour: { app: { stopSeconds: 1 } } }),
      stop(25),
      ask(29, deletePod(29)("re-deleted").request),
      start(32)
    ]
  },
  {
    name: "static-pods",
    seconds: 75,
    config: { fileCheckFrequency: "1s" },
    steps: [
      { at: 0, manifest: "first", pod: staticPod("first") },
      start(0.1),
      { at: 12, manifest: "second", pod: staticPod("second", { labels: { a: "1" } }) },
      { at: 25, manifest: "second", pod: staticPod("second", { labels: { a: "2" } }) },
      { at: 45, manifest: "first" }
    ]
  },
  {
    name: "mirror-deleted",
    seconds: 40,
    config: { fileCheckFrequency: "1s" },
    steps: [
      { at: 0, manifest: "mirrored", pod: staticPod("mirrored") },
      start(0.1),
      ask(15, deletePod(15, 0)(`mirrored-${NODE}`).request)
    ]
  },
  {
    name: "static-restarted",
    seconds: 50,
    config: { fileCheckFrequency: "1s" },
    steps: [{ at: 0, manifest: "kept", pod: staticPod("kept") }, start(0.1), stop(15), start(20)]
  },
  {
    name: "tainted-no-execute",
    seconds: 40,
    steps: [
      start(),
      pod(10, "before-taint"),
      taint(14, "NoExecute"),
      pod(17, "untolerating"),
      pod(17, "tolerating", { tolerations: [{ operator: "Exists" }] }),
      // What the controller of taints does.
      ask(20, {
        verb: "patch",
        kind: "Pod",
        namespace: "default",
        name: "before-taint",
        subresource: "status",
        patchType: "strategic",
        body: {
          status: {
            conditions: [
              {
                type: "DisruptionTarget",
                status: "True",
                reason: "DeletionByTaintManager",
                message: "Taint manager: deleting due to NoExecute taint"
              }
            ]
          }
        }
      }),
      ask(20.2, deletePod(20)("before-taint").request)
    ]
  },
  {
    name: "node-deleted",
    seconds: 45,
    steps: [start(), ask(15, { verb: "delete", kind: "Node", name: NODE })]
  },
  {
    name: "lease-deleted",
    seconds: 40,
    steps: [start(), ask(15, { verb: "delete", kind: "Lease", namespace: "kube-node-lease", name: NODE })]
  },
  {
    name: "shuts-down",
    // The machine is off a second later.
    seconds: 39.6,
    config: { shutdownGracePeriod: "30s", shutdownGracePeriodCriticalPods: "10s" },
    steps: [
      start(),
      pod(10, "plain-stops"),
      pod(10, "slow-stops", { terminationGracePeriodSeconds: 60, behaviour: { app: { stopSeconds: 100 } } }),
      pod(10, "critical-stops", { priorityClassName: "system-node-critical", priority: 2000001000 }),
      pod(10, "done-before", { restartPolicy: "Never", behaviour: { app: { exitAfterSeconds: 3 } } }),
      { at: 18, shutdown: true },
      pod(22, "too-late")
    ]
  },
  {
    name: "shutdown-cancelled",
    seconds: 60,
    config: { shutdownGracePeriod: "30s", shutdownGracePeriodCriticalPods: "10s" },
    steps: [
      start(),
      pod(10, "stays-stopped", { behaviour: { app: { stopSeconds: 9 } } }),
      { at: 18, shutdown: true },
      { at: 24, shutdown: false },
      pod(30, "after-cancel")
    ]
  }
]
