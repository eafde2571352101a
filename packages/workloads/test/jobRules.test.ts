import { assert, describe, it } from "@effect/vitest"
import { formatTime, type Job, type Pod } from "@rollcall/api"
import * as Effect from "effect/Effect"
import { backoffLeftMs, failuresAfter, noFailures } from "../src/job/backoff.ts"
import { removalOptions } from "../src/job/ttl.ts"
import { metSuccessPolicy, removalTimeOf } from "../src/rules.ts"
import { START, type WorkloadsSetup, withControllers } from "./withControllers.ts"

const jobKey = { namespace: "default", name: "calc" }

const jobOf = (spec: Partial<Job["spec"]>): Job => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: jobKey,
  spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } }, ...spec }
})

const indexedJob = (completions: number, spec: Partial<Job["spec"]> = {}): Job =>
  jobOf({ completionMode: "Indexed", completions, parallelism: completions, ...spec })

const endPod = (
  { cluster }: WorkloadsSetup,
  pod: Pod,
  phase: "Succeeded" | "Failed",
  status: Partial<Pod["status"]> = {}
) => cluster.updateStatus("Pod", { ...pod, status: { ...pod.status, ...status, phase } })

const unfinishedPods = (setup: WorkloadsSetup) =>
  Effect.map(setup.pods, (pods) =>
    pods.filter(({ metadata, status }) => status?.phase === "Pending" && metadata.deletionTimestamp === undefined)
  )

const indexOf = ({ metadata }: Pod) => metadata.annotations?.["batch.kubernetes.io/job-completion-index"]
const podOfIndex = (pods: ReadonlyArray<Pod>, index: number): Pod => {
  const found = pods.find((pod) => indexOf(pod) === String(index))
  if (found === undefined) throw new Error(`no pod at ${index}`)
  return found
}
const statusOf = ({ cluster }: WorkloadsSetup) => Effect.map(cluster.get("Job", jobKey), ({ status }) => status)
const endConditions = (setup: WorkloadsSetup) =>
  Effect.map(statusOf(setup), (status) =>
    (status?.conditions ?? []).filter(({ status: is }) => is === "True").map(({ reason, type }) => [type, reason])
  )

describe("success policies", () => {
  const met = (rules: ReadonlyArray<object>, succeeded: ReadonlyArray<number>) =>
    metSuccessPolicy(indexedJob(10, { successPolicy: { rules } }), new Set(succeeded))

  it("ask for all of the indexes that they name, or for as many as they say", () => {
    assert.strictEqual(met([{ succeededIndexes: "0-2" }], [0, 1, 2]), "Matched rules at index 0")
    assert.isUndefined(met([{ succeededIndexes: "0-2" }], [0, 1, 3]))
    assert.strictEqual(met([{ succeededIndexes: "0,4-6", succeededCount: 2 }], [3, 4, 6]), "Matched rules at index 0")
    assert.isUndefined(met([{ succeededIndexes: "0,4-6", succeededCount: 2 }], [3, 4, 7]))
    assert.strictEqual(met([{ succeededIndexes: "8" }, { succeededCount: 2 }], [1, 5]), "Matched rules at index 1")
    assert.isUndefined(met([{ succeededCount: 1 }], []))
  })

  it("look only at indexes that the job has", () => {
    assert.strictEqual(met([{ succeededIndexes: "9-12" }], [9]), "Matched rules at index 0")
    assert.isUndefined(met([{ succeededIndexes: "10-12" }], [9]))
    assert.isUndefined(met([{ succeededIndexes: "x" }], [9]))
  })

  it("end a job while others still run, which do not count as failed", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        const successPolicy = { rules: [{ succeededIndexes: "0" }] }
        yield* setup.cluster.create("Job", indexedJob(3, { successPolicy }))
        yield* Effect.sleep("2 seconds")
        yield* endPod(setup, podOfIndex(yield* unfinishedPods(setup), 0), "Succeeded")
        yield* Effect.sleep("5 seconds")
        assert.deepStrictEqual(yield* endConditions(setup), [
          ["SuccessCriteriaMet", "SuccessPolicy"],
          ["Complete", "SuccessPolicy"]
        ])
        const status = yield* statusOf(setup)
        assert.strictEqual(status?.conditions?.at(-1)?.message, "Matched rules at index 0")
        assert.deepInclude(status, { succeeded: 1, completedIndexes: "0" })
        assert.isUndefined(status?.failed)
        assert.isEmpty(yield* unfinishedPods(setup))
      })
    ))
})

describe("limits of each index", () => {
  it("keeps the count of an index in its pods, and gives up the index, not the job", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* setup.cluster.create("Job", indexedJob(2, { backoffLimitPerIndex: 1 }))
        yield* Effect.sleep("2 seconds")
        yield* endPod(setup, podOfIndex(yield* unfinishedPods(setup), 1), "Failed")
        yield* Effect.sleep("3 seconds")
        const held = (yield* setup.pods).find(({ status }) => status?.phase === "Failed")
        assert.isNotEmpty(held?.metadata.finalizers ?? [], "held until the next is told of it")
        yield* Effect.sleep("10 seconds")
        const next = podOfIndex(yield* unfinishedPods(setup), 1)
        assert.strictEqual(next.metadata.annotations?.["batch.kubernetes.io/job-index-failure-count"], "1")
        assert.strictEqual((yield* statusOf(setup))?.failed, 1)
        yield* endPod(setup, next, "Failed")
        yield* Effect.sleep("1 minute")
        assert.deepInclude(yield* statusOf(setup), { failed: 2, failedIndexes: "1", active: 1 })
        yield* endPod(setup, podOfIndex(yield* unfinishedPods(setup), 0), "Succeeded")
        yield* Effect.sleep("5 seconds")
        assert.deepStrictEqual(yield* endConditions(setup), [
          ["FailureTarget", "FailedIndexes"],
          ["Failed", "FailedIndexes"]
        ])
        assert.strictEqual((yield* statusOf(setup))?.completedIndexes, "0")
      })
    ))

  it("fails the job when too many indexes have failed", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* setup.cluster.create("Job", indexedJob(4, { backoffLimitPerIndex: 0, maxFailedIndexes: 1 }))
        yield* Effect.sleep("2 seconds")
        const pods = yield* unfinishedPods(setup)
        yield* endPod(setup, podOfIndex(pods, 0), "Failed")
        yield* Effect.sleep("3 seconds")
        assert.deepStrictEqual(yield* endConditions(setup), [])
        yield* endPod(setup, podOfIndex(pods, 2), "Failed")
        yield* Effect.sleep("5 seconds")
        assert.deepStrictEqual(yield* endConditions(setup), [
          ["FailureTarget", "MaxFailedIndexesExceeded"],
          ["Failed", "MaxFailedIndexesExceeded"]
        ])
        assert.strictEqual((yield* statusOf(setup))?.failedIndexes, "0,2")
      })
    ))

  it("gives an index up at once where a rule says so, and forgives what a rule ignores", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        const rules = [
          { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
          { action: "FailIndex", onExitCodes: { operator: "In", values: [42] } }
        ]
        yield* setup.cluster.create("Job", indexedJob(2, { backoffLimitPerIndex: 3, podFailurePolicy: { rules } }))
        yield* Effect.sleep("2 seconds")
        const pods = yield* unfinishedPods(setup)
        const containerStatuses = [
          { name: "c", ready: false, restartCount: 0, image: "i", imageID: "", state: { terminated: { exitCode: 42 } } }
        ]
        yield* endPod(setup, podOfIndex(pods, 0), "Failed", { containerStatuses })
        yield* endPod(setup, podOfIndex(pods, 1), "Failed", {
          conditions: [{ type: "DisruptionTarget", status: "True" }]
        })
        yield* Effect.sleep("20 seconds")
        assert.deepInclude(yield* statusOf(setup), { failed: 1, failedIndexes: "0" })
        const { annotations } = podOfIndex(yield* unfinishedPods(setup), 1).metadata
        assert.strictEqual(annotations?.["batch.kubernetes.io/job-index-failure-count"], "0")
        assert.strictEqual(annotations?.["batch.kubernetes.io/job-index-ignored-failure-count"], "1")
      })
    ))
})

describe("pods that a job takes away", () => {
  it("are not counted as failed when it is suspended or made narrower", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* setup.cluster.create("Job", jobOf({ completions: 6, parallelism: 3, backoffLimit: 0 }))
        yield* Effect.sleep("2 seconds")
        yield* setup.cluster.patch("Job", jobKey, "merge", { spec: { parallelism: 1 } })
        yield* Effect.sleep("5 seconds")
        assert.strictEqual((yield* unfinishedPods(setup)).length, 1)
        yield* setup.cluster.patch("Job", jobKey, "merge", { spec: { suspend: true } })
        yield* Effect.sleep("5 seconds")
        assert.isEmpty(yield* unfinishedPods(setup))
        assert.deepStrictEqual(yield* endConditions(setup), [["Suspended", "JobSuspended"]])
        assert.isUndefined((yield* statusOf(setup))?.failed)
        assert.isUndefined((yield* statusOf(setup))?.startTime)
        yield* setup.cluster.patch("Job", jobKey, "merge", { spec: { suspend: false, activeDeadlineSeconds: 6 } })
        yield* Effect.sleep("5 seconds")
        assert.strictEqual((yield* unfinishedPods(setup)).length, 1)
      })
    ))

  it("are replaced while they terminate, or with podReplacementPolicy Failed only when they have failed", () => {
    const replaced = (podReplacementPolicy: "TerminatingOrFailed" | "Failed") =>
      withControllers((setup) =>
        Effect.gen(function* () {
          yield* setup.cluster.create("Job", jobOf({ podReplacementPolicy }))
          yield* Effect.sleep("2 seconds")
          const [pod] = yield* unfinishedPods(setup)
          if (pod === undefined) return assert.fail("no pod")
          const key = { namespace: "default", name: pod.metadata.name ?? "" }
          yield* setup.cluster.patch("Pod", key, "merge", {
            metadata: { finalizers: ["batch.kubernetes.io/job-tracking", "example.com/hold"] }
          })
          yield* setup.cluster.delete("Pod", key)
          yield* Effect.sleep("1 minute")
          return (yield* unfinishedPods(setup)).length
        })
      )
    assert.strictEqual(replaced("TerminatingOrFailed"), 1)
    assert.strictEqual(replaced("Failed"), 0)
  })
})

describe("jobs and pods of others", () => {
  it("adopts a pod that it selects, with its finalizer, and counts it", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        const labels = { task: "calc" }
        const template = { metadata: { labels }, spec: jobOf({}).spec.template.spec }
        yield* setup.cluster.create("Pod", {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name: "stray", namespace: "default", labels },
          spec: template.spec
        })
        const spec = { manualSelector: true, selector: { matchLabels: labels }, template }
        yield* setup.cluster.create("Job", jobOf(spec))
        yield* Effect.sleep("3 seconds")
        const [pod, ...others] = yield* setup.pods
        assert.isEmpty(others)
        assert.include(pod?.metadata.finalizers ?? [], "batch.kubernetes.io/job-tracking")
        if (pod !== undefined) yield* endPod(setup, pod, "Succeeded")
        yield* Effect.sleep("5 seconds")
        assert.strictEqual((yield* statusOf(setup))?.succeeded, 1)
      })
    ))

  it("frees pods that it leaves behind as orphans", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* setup.cluster.create("Job", jobOf({}))
        yield* Effect.sleep("2 seconds")
        const [pod] = yield* setup.pods
        const key = { namespace: "default", name: pod?.metadata.name ?? "" }
        yield* setup.cluster.patch("Job", jobKey, "merge", { spec: { parallelism: 0 } })
        yield* setup.cluster.patch("Pod", key, "merge", { metadata: { labels: null, ownerReferences: null } })
        yield* Effect.sleep("3 seconds")
        assert.isEmpty((yield* setup.cluster.get("Pod", key)).metadata.finalizers ?? [])
      })
    ))

  it("leaves a job alone that another controller runs", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* setup.cluster.create("Job", jobOf({ managedBy: "example.com/other" }))
        yield* Effect.sleep("10 seconds")
        assert.isEmpty(yield* setup.pods)
      })
    ))
})

describe("jobs that are over", () => {
  const done = (seconds: number | undefined, at: number): Job => ({
    ...jobOf(seconds === undefined ? {} : { ttlSecondsAfterFinished: seconds }),
    status: { conditions: [{ type: "Complete", status: "True", lastTransitionTime: formatTime(at) }] }
  })

  it("are due when their time has passed, if they have one", () => {
    assert.strictEqual(removalTimeOf(done(30, START)), START + 30_000)
    const { metadata, ...job } = done(30, START)
    assert.deepStrictEqual(removalOptions({ ...job, metadata: { ...metadata, uid: "u1" } }), {
      propagationPolicy: "Foreground",
      preconditions: { uid: "u1" }
    })
    assert.isUndefined(removalTimeOf(done(undefined, START)))
    assert.isUndefined(removalTimeOf(jobOf({ ttlSecondsAfterFinished: 30 })))
  })

  it("are removed then, and not before", () =>
    withControllers((setup) =>
      Effect.gen(function* () {
        yield* setup.cluster.create("Job", jobOf({ ttlSecondsAfterFinished: 60 }))
        yield* Effect.sleep("2 seconds")
        const [pod] = yield* unfinishedPods(setup)
        if (pod !== undefined) yield* endPod(setup, pod, "Succeeded")
        yield* Effect.sleep("5 seconds")
        const finished = yield* statusOf(setup)
        assert.isDefined(finished?.completionTime)
        yield* Effect.sleep("50 seconds")
        assert.isUndefined((yield* setup.cluster.get("Job", jobKey)).metadata.deletionTimestamp)
        yield* Effect.sleep("10 seconds")
        const { items } = yield* setup.cluster.list("Job")
        assert.isTrue(items.every(({ metadata }) => metadata.deletionTimestamp !== undefined))
      })
    ))
})

describe("back-off of a job", () => {
  const pod = (seconds: number): Pod => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { creationTimestamp: formatTime(START + seconds * 1000) },
    spec: { containers: [] }
  })

  it("doubles from 10 s to 10 min, and restarts after a success", () => {
    let failures = noFailures
    const waits: Array<number> = []
    for (let second = 0; second < 8; second++) {
      failures = failuresAfter(failures, [], [pod(second)])
      waits.push(backoffLeftMs(failures, START + second * 1000) / 1000)
    }
    assert.deepStrictEqual(waits, [10, 20, 40, 80, 160, 320, 600, 600])
    const after = failuresAfter(failures, [pod(20)], [pod(19), pod(21)])
    assert.strictEqual(backoffLeftMs(after, START + 21_000), 10_000, "only the failure after it counts")
    assert.strictEqual(backoffLeftMs(failuresAfter(failures, [pod(20)], []), START + 20_000), 0)
  })
})
