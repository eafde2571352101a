import * as fc from "fast-check"
import { nodes } from "./randomEvents.ts"

/** A cloud that owns the machines. It answers slowly, or not always, or deletes machines that are off. */
export const cloud = fc.option(
  fc.record({
    latency: fc.constantFrom("0s", "2s"),
    errorRate: fc.constantFrom(0, 0.2),
    keepStopped: fc.constantFrom(undefined, "3m")
  }),
  { freq: 2 }
)

/** Other intervals of heartbeats; undefined: the defaults. */
export const heartbeats = fc.constantFrom<Record<string, unknown> | undefined>(
  undefined,
  undefined,
  { nodeStatusUpdateFrequency: "20s", nodeStatusReportFrequency: "1m" },
  { nodeLeaseDurationSeconds: 20 }
)

const cloudFault = fc.oneof(
  fc.record({ fault: fc.constantFrom("cloud-delete", "cloud-deny"), nodes }),
  fc.record({ fault: fc.constant("cloud-error"), rate: fc.constantFrom(0.5, 1) }),
  fc.record({ fault: fc.constant("cloud-latency"), by: fc.constantFrom("1s", "20s") }),
  fc.constant({ fault: "controller-restart", component: "cloud-controller-manager" })
)

const web = { kind: "Deployment", name: "web" }

const change = fc.oneof(
  fc.record({
    do: fc.constant("resize"),
    object: fc.constantFrom(web, { kind: "Pod", name: "p-1" }),
    resources: fc.constantFrom({ requests: { cpu: "2" } }, { requests: { cpu: "500m" } })
  }),
  fc.record({
    do: fc.constant("patch"),
    object: fc.constantFrom({ kind: "Node", name: "a-0" }, { kind: "Node", name: "c-0" }),
    patch: fc.constantFrom(
      { metadata: { annotations: { "example.com/by": "hand" } } },
      { metadata: { labels: { "kubernetes.io/hostname": null } } }
    )
  }),
  fc.constant({
    do: "patch",
    object: web,
    patch: { spec: { template: { metadata: { annotations: { "example.com/version": "2" } } } } }
  }),
  fc.constant({
    do: "apply",
    objects: [
      { apiVersion: "v1", kind: "Pod", metadata: { name: "late" }, spec: { containers: [{ name: "c", image: "x" }] } }
    ]
  })
)

const at = fc.integer({ min: 20, max: 800 })
const during = fc.option(fc.integer({ min: 5, max: 500 }))

/** Faults of the cloud, which are left out of a scenario without one, and changes of objects. */
export const extraEvent = fc.oneof(
  fc.tuple(at, during, cloudFault).map(([at, end, what]) => ({ at, ...(end === null ? {} : { for: end }), ...what })),
  fc.tuple(at, change).map(([at, what]) => ({ at, ...what }))
)
