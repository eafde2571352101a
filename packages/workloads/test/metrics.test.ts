import { assert, describe, it } from "@effect/vitest"
import type { Job, Service } from "@rollcall/api"
import { metricsText } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { withControllers } from "./withControllers.ts"

/** The values of all series by name and labels: metrics outlive a test, so that only differences tell. */
const readCounters = Effect.map(Effect.context<never>(), (context) => {
  const values = new Map<string, number>()
  for (const line of metricsText(context).split("\n")) {
    if (line === "" || line.startsWith("#")) continue
    const at = line.lastIndexOf(" ")
    values.set(line.slice(0, at), Number(line.slice(at + 1)))
  }
  return values
})

const increases = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>, name: string) =>
  Object.fromEntries(
    [...after]
      .filter(([series, value]) => series.startsWith(name) && value !== (before.get(series) ?? 0))
      .map(([series, value]) => [series.slice(name.length), value - (before.get(series) ?? 0)])
  )

describe("metrics", () => {
  it("count jobs, their pods and what policies make of failures", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        const before = yield* readCounters
        const job: Job = {
          apiVersion: "batch/v1",
          kind: "Job",
          metadata: { name: "calc", namespace: "default" },
          spec: {
            ttlSecondsAfterFinished: 10,
            podFailurePolicy: { rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] }] },
            template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } }
          }
        }
        yield* setup.cluster.create("Job", job)
        yield* Effect.sleep("2 seconds")
        const [first] = yield* setup.pods
        const conditions = [{ type: "DisruptionTarget", status: "True" as const }]
        if (first !== undefined)
          yield* setup.cluster.updateStatus("Pod", {
            ...first,
            status: { ...first.status, phase: "Failed", conditions }
          })
        yield* Effect.sleep("20 seconds")
        const second = (yield* setup.pods).find(({ status }) => status?.phase === "Pending")
        if (second !== undefined)
          yield* setup.cluster.updateStatus("Pod", { ...second, status: { ...second.status, phase: "Succeeded" } })
        yield* Effect.sleep("30 seconds")
        const after = yield* readCounters
        const rise = (name: string) => increases(before, after, `job_controller_${name}`)
        const mode = 'completion_mode="NonIndexed"'
        assert.deepStrictEqual(rise("jobs_finished_total"), { [`{${mode},result="succeeded",reason=""}`]: 1 })
        assert.deepStrictEqual(rise("job_pods_finished_total"), { [`{${mode},result="succeeded"}`]: 1 })
        assert.deepStrictEqual(rise("pod_failures_handled_by_failure_policy_total"), { '{action="Ignore"}': 1 })
        assert.strictEqual(rise("job_pods_creation_total")['{reason="new",status="succeeded"}'], 2)
        assert.deepStrictEqual(rise("terminated_pods_tracking_finalizer_total"), {
          '{event="add"}': 2,
          '{event="delete"}': 2
        })
        const name = "ttl_after_finished_controller_job_deletion_duration_seconds_count"
        assert.deepStrictEqual(increases(before, after, name), { "": 1 })
      })
    ))

  it("count endpoints and their slices", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        const before = yield* readCounters
        const service: Service = {
          apiVersion: "v1",
          kind: "Service",
          metadata: { name: "web", namespace: "default" },
          spec: { selector: { app: "web" }, ports: [{ port: 80 }], publishNotReadyAddresses: true }
        }
        yield* setup.cluster.create("Service", service)
        yield* Effect.sleep("1 second")
        const pod = yield* setup.cluster.create("Pod", {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name: "a", namespace: "default", labels: { app: "web" } },
          spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] }
        })
        const status = { phase: "Running", podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }] } as const
        yield* setup.cluster.updateStatus("Pod", { ...pod, status: { ...pod.status, ...status } })
        yield* Effect.sleep("1 second")
        const after = yield* readCounters
        const changes = increases(before, after, "endpoint_slice_controller_changes")
        assert.deepStrictEqual(changes, { '{operation="create"}': 1, '{operation="update"}': 1 })
        assert.strictEqual(after.get("endpoint_slice_controller_endpoints_desired"), 1)
        assert.strictEqual(after.get("endpoint_slice_controller_num_endpoint_slices"), 1)
        assert.strictEqual(after.get("endpoint_slice_controller_desired_endpoint_slices"), 1)
      })
    ))
})
