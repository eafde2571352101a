import { assert, describe, it } from "@effect/vitest"
import type { Job } from "../../src/index.ts"
import { kinds } from "../../src/index.ts"
import { typed } from "../../src/validation/index.ts"

const labels = {
  "batch.kubernetes.io/controller-uid": "u",
  "batch.kubernetes.io/job-name": "j",
  "controller-uid": "u",
  "job-name": "j"
}

const jobOf = (spec: object, template: object = {}, status: object = {}): Job =>
  kinds.Job.defaults({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "j", namespace: "default", uid: "u", resourceVersion: "1" },
    spec: {
      selector: { matchLabels: { "batch.kubernetes.io/controller-uid": "u" } },
      template: {
        metadata: { labels },
        spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }], ...template }
      },
      ...spec
    },
    status
  } as unknown as Job)

const faults = (next: Job, old: Job) => kinds.Job.validation.update(next, old).map(({ field }) => field)

describe("the template of a job", () => {
  const larger = { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "2" } } }] }
  const suspended = { suspend: true }

  it("may change in resources and scheduling while the job is suspended without pods", () => {
    const old = jobOf(suspended)
    assert.deepStrictEqual(faults(jobOf(suspended, larger), old), [])
    assert.deepStrictEqual(faults(jobOf(suspended, { nodeSelector: { a: "b" } }), old), [])
    const again = { startTime: "2026-01-01T00:00:00Z", conditions: [{ type: "Suspended", status: "True" }] }
    assert.deepStrictEqual(faults(jobOf(suspended, larger, again), jobOf(suspended, {}, again)), [])
  })

  it("may change in nothing else, and not while the job runs or has pods", () => {
    const image = { containers: [{ name: "c", image: "other" }] }
    assert.deepStrictEqual(faults(jobOf(suspended, image), jobOf(suspended)), ["spec.template.spec"])
    const renamed = { containers: [{ name: "d", image: "i", resources: { requests: { cpu: "2" } } }] }
    assert.deepStrictEqual(faults(jobOf(suspended, renamed), jobOf(suspended)), ["spec.template.spec"])
    assert.deepStrictEqual(faults(jobOf({}, larger), jobOf({})), ["spec.template"])
    const active = { active: 1 }
    assert.deepStrictEqual(faults(jobOf(suspended, larger, active), jobOf(suspended, {}, active)), ["spec.template"])
    const started = { startTime: "2026-01-01T00:00:00Z" }
    assert.deepStrictEqual(faults(jobOf(suspended, larger, started), jobOf(suspended, {}, started)), ["spec.template"])
  })

  it("has an empty affinity where it had none only by a change", () => {
    const affinity = { nodeAffinity: {}, podAffinity: {} }
    assert.deepStrictEqual(faults(jobOf(suspended, { affinity }), jobOf(suspended)), ["spec.template.spec"])
    assert.deepStrictEqual(faults(jobOf(suspended, { affinity: { nodeAffinity: {} } }), jobOf(suspended)), [])
  })
})

describe("the immutable fields of a job", () => {
  const texts = (next: Job, old: Job) =>
    kinds.Job.validation.update(next, old).map(({ badValue, detail, field }) => [field, badValue, detail])
  const immutable = "field is immutable"

  it("include an empty value where there was none", () => {
    const [first, ...rest] = texts(jobOf({ managedBy: "" }), jobOf({}))
    assert.deepStrictEqual(first, ["spec.managedBy", "", ""])
    assert.deepStrictEqual(rest.at(-1), ["spec.managedBy", typed(""), immutable])
  })

  it("are shown in the form of Go's structs", () => {
    const policy = { rules: [{ action: "Count", onExitCodes: { operator: "In", values: [1] } }] }
    assert.deepStrictEqual(texts(jobOf({ podFailurePolicy: { rules: [] } }), jobOf({ podFailurePolicy: policy })), [
      ["spec.podFailurePolicy", { Rules: [] }, immutable]
    ])
    const codes = { ContainerName: null, Operator: "In", Values: [1] }
    assert.deepStrictEqual(texts(jobOf({ podFailurePolicy: policy }), jobOf({})), [
      ["spec.podFailurePolicy", { Rules: [{ Action: "Count", OnExitCodes: codes, OnPodConditions: null }] }, immutable]
    ])
  })

  it("include a manager with a valid path", () => {
    const [fault] = texts(jobOf({ managedBy: "a.b/c d" }), jobOf({ managedBy: "a.b/c d" }))
    assert.deepStrictEqual(fault?.slice(0, 2), ["spec.managedBy", "c d"])
  })
})
