import { assert, describe, it } from "@effect/vitest"
import { noEtcd } from "@rollcall/store-etcd/testing"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { followFaults } from "../src/spread/Follower.ts"
import { spreadFaults, spreadOutage } from "../src/spread/spreadOutage.ts"
import { watchOutage } from "../src/spread/watched.ts"

describe("the check of a watch by etcd's history", () => {
  const faultsOf = (...changes: ReadonlyArray<string>) =>
    followFaults("Pod", { changes, gone: undefined }, ["5 default/a", "7 default/b"])

  it("finds what it missed, repeated or made up", () => {
    assert.deepStrictEqual(faultsOf("5 default/a", "7 default/b"), [])
    assert.deepStrictEqual(faultsOf("5 default/a", "7 default/b", "9 default/c"), [])
    assert.include(faultsOf("7 default/b").join(), "change 0 is 5 default/a in etcd, and 7 default/b in the watch")
    assert.include(faultsOf("5 default/a", "5 default/a", "7 default/b").join(), "change 1 is 7 default/b in etcd")
    assert.include(faultsOf("5 default/a").join(), "and undefined in the watch")
    assert.include(followFaults("Pod", { changes: [], gone: "too old" }, []).join(), "could not go on: too old")
  })
})

describe("what the watches say of an outage", () => {
  const pod = (deletionTimestamp?: string, deletionGracePeriodSeconds = 1) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "on-b-0",
      uid: "1",
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp, deletionGracePeriodSeconds })
    }
  })
  const node = (name: string, status: string) => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name },
    status: { conditions: [{ type: "Ready", status }] }
  })

  it("tells two evictions of a pod from one and its end", () => {
    const outage = watchOutage("b-")
    const times = () => outage.deletions.get("1")?.times.size
    outage.takePod(pod(), "ADDED")
    assert.strictEqual(times(), 0)
    outage.takePod(pod("2026-01-01T00:00:00Z"), "MODIFIED")
    outage.takePod(pod("2026-01-01T00:00:08Z", 0), "MODIFIED")
    outage.takePod(pod("2026-01-01T00:00:08Z", 0), "DELETED")
    assert.strictEqual(times(), 1)
    outage.takePod(pod("2026-01-01T00:00:05Z"), "MODIFIED")
    assert.strictEqual(times(), 2)
  })

  it("tells a node that is NotReady without a fault from one that is lost", () => {
    const outage = watchOutage("b-")
    for (const name of ["a-0", "b-0", "b-1"]) outage.takeNode(node(name, "True"))
    outage.takeNode(node("b-0", "Unknown"))
    outage.lose()
    outage.takeNode(node("b-1", "Unknown"))
    outage.takeNode(node("a-0", "False"))
    assert.deepStrictEqual([...outage.falselyNotReady], ["b-0", "a-0"])
  })
})

describe.skipIf(noEtcd !== undefined)("a fleet over two processes, behind a balancer", () => {
  it.live(
    "loses a zone while a member of etcd, a server and the leading manager are killed, and nothing else",
    () =>
      Effect.gen(function* () {
        const shape = { nodes: 16, lost: 5, keepers: 4, evictionsPerSecond: 1.5, graceSeconds: 30 }
        const report = yield* spreadOutage(shape)
        assert.deepStrictEqual(spreadFaults(report), [])
        assert.strictEqual(report.evicted, 5)
        assert.isAbove(report.resumed, 0)
        assert.isAbove(report.acknowledged, 0)
      }).pipe(Effect.provide(layerWallClock())),
    300_000
  )
})
