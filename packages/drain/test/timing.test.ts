import type { Container, Pod } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { expectedTiming, worstTiming } from "../src/plan/timing.ts"

const timeOf = (seconds: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString()

const podOf = (name: string, owner: string | undefined, containers: ReadonlyArray<Container> = []): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    uid: `uid-${name}`,
    ...(owner === undefined
      ? {}
      : { ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: owner, uid: owner, controller: true }] })
  },
  spec: { containers }
})

/** A sibling that became ready after this many seconds. */
const startedPod = (name: string, owner: string, seconds: number, restartCount = 0): Pod => ({
  ...podOf(name, owner),
  status: {
    startTime: timeOf(10),
    conditions: [{ type: "Ready", status: "True", lastTransitionTime: timeOf(10 + seconds) }],
    containerStatuses: [{ name: "c", ready: true, restartCount, image: "i", imageID: "" }]
  }
})

describe("how long a pod takes to start", () => {
  it("is the median of its siblings', and at worst the slowest", () => {
    const siblings = [9, 2, 30].map((seconds, index) => startedPod(`p${index}`, "web", seconds))
    const pods = [...siblings, startedPod("other", "db", 100)]
    assert.strictEqual(expectedTiming(pods).start(podOf("new", "web")), 9)
    assert.strictEqual(worstTiming(pods).start(podOf("new", "web")), 30)
    assert.strictEqual(expectedTiming(pods).start(podOf("new", "db")), 100)
    assert.strictEqual(worstTiming([startedPod("a", "web", 0)]).start(podOf("new", "web")), 0)
    const own = { ...startedPod("lone", "x", 7), metadata: { name: "lone", uid: "uid-lone" } }
    assert.strictEqual(expectedTiming([own]).start(podOf("lone", undefined)), 7)
  })

  it("ignores siblings that are not ready, restarted, or have no start time", () => {
    const untold: ReadonlyArray<Pod> = [
      startedPod("restarted", "web", 9, 1),
      {
        ...startedPod("sidecar-restarted", "web", 9),
        status: {
          ...startedPod("sidecar-restarted", "web", 9).status,
          containerStatuses: [0, 1].map((restartCount) => ({
            name: `c${restartCount}`,
            ready: true,
            restartCount,
            image: "i",
            imageID: ""
          }))
        }
      },
      startedPod("backwards", "web", -1),
      {
        ...startedPod("unready", "web", 9),
        status: {
          startTime: timeOf(10),
          conditions: [{ type: "Ready", status: "False", lastTransitionTime: timeOf(19) }]
        }
      },
      {
        ...startedPod("no-start", "web", 9),
        status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime: timeOf(19) }] }
      },
      {
        ...startedPod("no-time", "web", 9),
        status: { startTime: timeOf(10), conditions: [{ type: "Ready", status: "True" }] }
      },
      podOf("no-status", "web")
    ]
    for (const pod of untold) {
      assert.strictEqual(expectedTiming([pod]).start(podOf("new", "web")), 5, pod.metadata.name)
      assert.strictEqual(worstTiming([pod]).start(podOf("new", "web")), 60, pod.metadata.name)
    }
  })

  it("is assumed from its probes without observed siblings", () => {
    const startTime = (container: Partial<Container>) => {
      const pod = podOf("new", "web", [{ name: "c" }, { name: "d", ...container }])
      return [expectedTiming([]).start(pod), worstTiming([]).start(pod)]
    }
    assert.deepStrictEqual(startTime({}), [5, 60])
    assert.deepStrictEqual(startTime({ startupProbe: {} }), [5, 90])
    assert.deepStrictEqual(
      startTime({ startupProbe: { initialDelaySeconds: 4, failureThreshold: 2, periodSeconds: 7 } }),
      [9, 78]
    )
    assert.deepStrictEqual(startTime({ readinessProbe: {} }), [5, 70])
    assert.deepStrictEqual(startTime({ readinessProbe: { initialDelaySeconds: 3, periodSeconds: 8 } }), [8, 71])
    assert.deepStrictEqual(
      startTime({ startupProbe: { initialDelaySeconds: 4 }, readinessProbe: { initialDelaySeconds: 3 } }),
      [12, 107]
    )
  })
})

describe("how long a pod takes to stop", () => {
  it("is a second after its preStop sleep, and at worst its whole grace period", () => {
    const sleeps = (lifecycle: Container["lifecycle"]): number =>
      expectedTiming([]).stop(podOf("a", "web", [{ name: "c", ...(lifecycle === undefined ? {} : { lifecycle }) }]), 30)
    assert.strictEqual(sleeps(undefined), 1)
    assert.strictEqual(sleeps({}), 1)
    assert.strictEqual(sleeps({ preStop: {} }), 1)
    assert.strictEqual(sleeps({ preStop: { sleep: { seconds: 5 } } }), 6)
    assert.strictEqual(sleeps({ preStop: { sleep: { seconds: 60 } } }), 30)
    assert.strictEqual(worstTiming([]).stop(podOf("a", "web"), 30), 30)
  })
})
