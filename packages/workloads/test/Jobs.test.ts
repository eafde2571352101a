import { assert, describe, it } from "@effect/vitest"
import type { Job, Pod } from "@rollcall/api"
import { ApiError } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { formatIndexes, parseIndexes } from "../src/job/indexes.ts"
import { delayRequests, type WorkloadsSetup, withControllers } from "./withControllers.ts"

const jobKey = { namespace: "default", name: "calc" }

const jobOf = (spec: Partial<Job["spec"]>): Job => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: jobKey,
  spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } }, ...spec }
})

const endPod = (
  { cluster }: WorkloadsSetup,
  pod: Pod,
  phase: "Succeeded" | "Failed",
  status: Partial<Pod["status"]> = {}
) => cluster.updateStatus("Pod", { ...pod, status: { ...pod.status, ...status, phase } })

const activePodsOf = (setup: WorkloadsSetup) =>
  Effect.map(setup.pods, (pods) =>
    pods.filter(({ metadata, status }) => status?.phase === "Pending" && metadata.deletionTimestamp === undefined)
  )

const endAll = (setup: WorkloadsSetup, phase: "Succeeded" | "Failed") =>
  Effect.gen(function* () {
    const pods = yield* activePodsOf(setup)
    for (const pod of pods) yield* endPod(setup, pod, phase)
    yield* Effect.sleep("3 seconds")
    return pods.length
  })

const statusOf = ({ cluster }: WorkloadsSetup) => Effect.map(cluster.get("Job", jobKey), ({ status }) => status)
const trueConditions = (setup: WorkloadsSetup) =>
  Effect.map(statusOf(setup), (status) =>
    (status?.conditions ?? [])
      .filter((condition) => condition.status === "True")
      .map(({ reason, type }) => [type, reason])
  )

describe("Jobs", () => {
  it("runs as many at once as it may until enough have succeeded, and removes each pod's finalizer once it is counted", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* setup.cluster.create("Job", jobOf({ completions: 5, parallelism: 2 }))
        yield* Effect.sleep("2 seconds")
        assert.strictEqual((yield* activePodsOf(setup)).length, 2)
        assert.strictEqual(yield* endAll(setup, "Succeeded"), 2)
        assert.strictEqual((yield* statusOf(setup))?.succeeded, 2)
        yield* endAll(setup, "Succeeded")
        assert.strictEqual(yield* endAll(setup, "Succeeded"), 1)
        const status = yield* statusOf(setup)
        assert.deepInclude(status, { succeeded: 5, uncountedTerminatedPods: {} })
        assert.isDefined(status?.completionTime)
        assert.deepStrictEqual(yield* trueConditions(setup), [
          ["SuccessCriteriaMet", "CompletionsReached"],
          ["Complete", "CompletionsReached"]
        ])
        for (const { metadata } of yield* setup.pods) assert.isEmpty(metadata.finalizers ?? [])
        assert.include(
          (yield* setup.events).map(({ reason }) => reason),
          "Completed"
        )
      })
    ))

  it("waits a second and longer before it writes a refused status again", () => {
    const triesMs: Array<number> = []
    const status = { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", code: 500 } as const
    withControllers(
      ({ cluster }) => Effect.andThen(cluster.create("Job", jobOf({})), Effect.sleep("10 seconds")),
      (connection, timers) => ({
        ...connection,
        send: (request, reply) => {
          const isStatus = request.kind === "Job" && request.verb === "update" && triesMs.push(timers.now()) < 4
          if (!isStatus) return connection.send(request, reply)
          reply(Result.fail(new ApiError({ status })))
          return () => {}
        }
      })
    )
    const pausesMs = triesMs.slice(1).map((triedMs, index) => triedMs - (triesMs[index] ?? 0))
    assert.deepStrictEqual(
      pausesMs.slice(0, 3).map((ms) => Math.round(ms / 1000)),
      [1, 2, 4]
    )
  })
  it("counts as active only the pods that were created", () => {
    const status = { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", code: 403 } as const
    let created = 0
    withControllers(
      (setup) =>
        Effect.gen(function* () {
          yield* setup.cluster.create("Job", jobOf({ parallelism: 4 }))
          yield* Effect.sleep("3 seconds")
          assert.strictEqual((yield* statusOf(setup))?.active, 2)
        }),
      (connection) => ({
        ...connection,
        send: (request, reply) => {
          const isOver = request.kind === "Pod" && request.verb === "create" && ++created > 2
          if (!isOver) return connection.send(request, reply)
          reply(Result.fail(new ApiError({ status })))
          return () => {}
        }
      })
    )
  })

  it("waits longer after each failure, and gives up beyond the limit", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* setup.cluster.create("Job", jobOf({ backoffLimit: 1 }))
        yield* Effect.sleep("2 seconds")
        yield* endAll(setup, "Failed")
        assert.strictEqual((yield* activePodsOf(setup)).length, 0)
        yield* Effect.sleep("10 seconds")
        assert.strictEqual(yield* endAll(setup, "Failed"), 1)
        yield* Effect.sleep("1 minute")
        assert.strictEqual((yield* activePodsOf(setup)).length, 0)
        assert.strictEqual((yield* statusOf(setup))?.failed, 2)
        assert.deepStrictEqual(yield* trueConditions(setup), [
          ["FailureTarget", "BackoffLimitExceeded"],
          ["Failed", "BackoffLimitExceeded"]
        ])
      })
    ))

  it("applies its pod failure policy: a disruption does not count, an exit code ends it", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        const podFailurePolicy = {
          rules: [
            { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] },
            { action: "FailJob", onExitCodes: { operator: "In", values: [42] } }
          ]
        }
        yield* setup.cluster.create("Job", jobOf({ backoffLimit: 0, podFailurePolicy }))
        yield* Effect.sleep("2 seconds")
        const [first] = yield* activePodsOf(setup)
        if (first === undefined) return assert.fail("no pod")
        yield* endPod(setup, first, "Failed", { conditions: [{ type: "DisruptionTarget", status: "True" }] })
        yield* Effect.sleep("15 seconds")
        assert.isUndefined((yield* statusOf(setup))?.failed)
        const [second] = yield* activePodsOf(setup)
        if (second === undefined) return assert.fail("not replaced")
        const terminated = { exitCode: 42 }
        const containerStatuses = [
          { name: "c", ready: false, restartCount: 0, image: "i", imageID: "", state: { terminated } }
        ]
        yield* endPod(setup, second, "Failed", { containerStatuses })
        yield* Effect.sleep("5 seconds")
        assert.deepStrictEqual(yield* trueConditions(setup), [
          ["FailureTarget", "PodFailurePolicy"],
          ["Failed", "PodFailurePolicy"]
        ])
        const { message } = (yield* statusOf(setup))?.conditions?.[0] ?? {}
        const where = `default/${second.metadata.name}`
        assert.strictEqual(
          message,
          `Container c for pod ${where} failed with exit code 42 matching FailJob rule at index 1`
        )
      })
    ))

  it("stops at its deadline, and while it is suspended", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* setup.cluster.create("Job", jobOf({ activeDeadlineSeconds: 60, suspend: true }))
        yield* Effect.sleep("1 hour")
        assert.strictEqual((yield* setup.pods).length, 0)
        assert.deepStrictEqual(yield* trueConditions(setup), [["Suspended", "JobSuspended"]])
        yield* setup.cluster.patch("Job", jobKey, "merge", { spec: { suspend: false } })
        yield* Effect.sleep("30 seconds")
        assert.strictEqual((yield* activePodsOf(setup)).length, 1)
        yield* Effect.sleep("40 seconds")
        assert.deepStrictEqual(yield* trueConditions(setup), [
          ["FailureTarget", "DeadlineExceeded"],
          ["Failed", "DeadlineExceeded"]
        ])
        assert.strictEqual((yield* activePodsOf(setup)).length, 0)
      })
    ))

  it("gives every index one success", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* setup.cluster.create("Job", jobOf({ completions: 4, parallelism: 3, completionMode: "Indexed" }))
        yield* Effect.sleep("2 seconds")
        const [first] = yield* activePodsOf(setup)
        assert.strictEqual(first?.spec.hostname, "calc-0")
        if (first !== undefined) yield* endPod(setup, first, "Failed")
        yield* Effect.sleep("15 seconds")
        yield* endAll(setup, "Succeeded")
        yield* endAll(setup, "Succeeded")
        assert.deepInclude(yield* statusOf(setup), { succeeded: 4, failed: 1, completedIndexes: "0-3" })
      })
    ))

  it("counts every terminated pod exactly once, in any order of events", () => {
    const act = fc.record({
      kind: fc.constantFrom("succeed", "fail", "delete", "wait"),
      pick: fc.nat(5),
      waitMs: fc.constantFrom(0, 1, 900, 1100, 30_000)
    })
    fc.assert(
      fc.property(fc.array(act, { maxLength: 30 }), fc.integer({ min: 0, max: 300 }), (acts, delayMs) => {
        withControllers(
          (setup) =>
            Effect.gen(function* () {
              yield* setup.cluster.create("Job", jobOf({ completions: 100, parallelism: 3, backoffLimit: 1000 }))
              let [succeeded, failed] = [0, 0]
              for (const { kind, pick, waitMs } of acts) {
                yield* Effect.sleep(waitMs)
                const pods = yield* activePodsOf(setup)
                const pod = pods[pick % Math.max(1, pods.length)]
                if (pod === undefined || kind === "wait") continue
                if (kind === "succeed") {
                  yield* endPod(setup, pod, "Succeeded")
                  succeeded++
                } else {
                  if (kind === "fail") yield* endPod(setup, pod, "Failed")
                  else yield* setup.cluster.delete("Pod", { namespace: "default", name: pod.metadata.name ?? "" })
                  failed++
                }
              }
              yield* Effect.sleep("20 minutes")
              const status = yield* statusOf(setup)
              assert.deepStrictEqual([status?.succeeded ?? 0, status?.failed ?? 0], [succeeded, failed])
              assert.deepStrictEqual(status?.uncountedTerminatedPods, {})
              assert.strictEqual((yield* activePodsOf(setup)).length, 3)
            }),
          delayRequests(delayMs)
        )
      }),
      { numRuns: 30 }
    )
  })

  it("reads the indexes that it writes", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(40)), (indexes) => {
        const sorted = indexes.toSorted((left, right) => left - right)
        assert.deepStrictEqual([...parseIndexes(formatIndexes(indexes))], sorted)
      })
    )
    assert.strictEqual(formatIndexes([0, 1, 2, 4, 6, 7]), "0-2,4,6,7")
  })
})
