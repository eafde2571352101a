import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { InhibitorError, type InhibitorSession, type ShutdownInhibitor } from "../src/index.ts"
import { byPriority, config, documentedConfig, gates, startTestManager, twoPeriods } from "./startTestManager.ts"

const critical = 2_000_000_000
const event = "Shutdown: Shutdown manager detected shutdown event"
const cancellation = "Shutdown: Shutdown manager detected shutdown cancellation"

describe("a shutdown", () => {
  it("kills phase by phase, and releases the lock at the end", () => {
    const testNode = startTestManager({
      config: twoPeriods(30, 10),
      pods: [
        { name: "dns", priority: critical, grace: 30, stopsAfter: 4 },
        { name: "web", priority: 0, grace: 30, stopsAfter: 7 }
      ]
    })
    assert.strictEqual(testNode.logind.locksHeld(), 1)
    testNode.signal(5, true)
    testNode.to(15.999)
    assert.strictEqual(testNode.logind.locksHeld(), 1)
    assert.deepStrictEqual(testNode.powerOffs, [])
    testNode.to(16)
    assert.deepStrictEqual(testNode.phases(), ["5 0: web 20s", "12 done", `12 ${critical}: dns 10s`, "16 done"])
    assert.deepStrictEqual(testNode.powerOffs, [{ at: 16, why: "released" }])
    assert.deepStrictEqual(testNode.nodeEvents, [`5 ${event}`])
    assert.deepInclude(testNode.kills[0], {
      reason: "Terminated",
      message: "Pod was terminated in response to imminent node shutdown."
    })
    assert.deepStrictEqual(
      testNode.trace.map(({ type }) => type),
      ["watching", "started", "phaseStarted", "phaseEnded", "phaseStarted", "phaseEnded", "finished"]
    )
  })

  it("processes the four classes of the documentation in order, and skips a class without pods", () => {
    const pods = [
      { name: "a", priority: 100_000, grace: 30, stopsAfter: 2 },
      { name: "b", priority: 10_000, grace: 300, stopsAfter: 40 },
      { name: "regular", priority: 0, grace: 30, stopsAfter: 20 }
    ]
    const testNode = startTestManager({ config: documentedConfig, pods })
    testNode.signal(0, true)
    testNode.to(1000)
    assert.deepStrictEqual(testNode.phases(), [
      "0 0: regular 30s",
      "20 done",
      "20 10000: b 180s",
      "60 done",
      "60 100000: a 10s",
      "62 done"
    ])
  })

  it("puts a class without a bucket of its own into the next lower one", () => {
    const testNode = startTestManager({
      config: byPriority([100_000, 300], [1000, 120], [0, 60]),
      pods: [{ name: "b", priority: 10_000, grace: 600, stopsAfter: 5 }]
    })
    testNode.signal(0, true)
    testNode.to(10)
    assert.deepStrictEqual(testNode.phases(), ["0 1000: b 120s", "5 done"])
  })

  it("starts the next phase when the time has passed, while slow pods are still terminating", () => {
    const testNode = startTestManager({
      config: twoPeriods(30, 10),
      pods: [
        { name: "slow", grace: 60, stopsAfter: 25 },
        { name: "dns", priority: critical, grace: 30, stopsAfter: 8 }
      ]
    })
    testNode.signal(0, true)
    testNode.to(100)
    assert.deepStrictEqual(testNode.phases(), ["0 0: slow 20s", "20 over", `20 ${critical}: dns 10s`, "28 done"])
    assert.deepStrictEqual(
      testNode.logs.filter((line) => line.includes("finished killing")),
      ["Debug Shutdown manager finished killing pod", "Debug Shutdown manager finished killing pod"]
    )
  })

  it("kills the pods of a bucket without seconds too", () => {
    const testNode = startTestManager({
      config: twoPeriods(30, 0),
      pods: [
        { name: "web", stopsAfter: 5 },
        { name: "dns", priority: critical, stopsAfter: 3 },
        { name: "net", priority: critical, stopsAfter: 3 }
      ]
    })
    testNode.signal(0, true)
    testNode.to(100)
    assert.deepStrictEqual(testNode.phases(), ["0 0: web 30s", "5 done", `5 ${critical}: dns 0s, net 0s`, "5 over"])
    assert.deepStrictEqual(
      testNode.kills.map(({ pod }) => pod),
      ["web", "dns", "net"]
    )
    assert.deepStrictEqual(testNode.powerOffs, [{ at: 5, why: "released" }])
  })

  it("waits for volumes within the phase", () => {
    const testNode = startTestManager({
      config: twoPeriods(30, 0),
      pods: [{ name: "db", stopsAfter: 3, volumesAfter: 9 }]
    })
    testNode.signal(0, true)
    testNode.to(100)
    assert.deepStrictEqual(testNode.phases(), ["0 0: db 30s", "9 done"])
  })

  it("gives up on volumes after 2 min 3 s, however long the phase", () => {
    const testNode = startTestManager({
      config: twoPeriods(600, 0),
      pods: [{ name: "db", stopsAfter: 3, volumesAfter: 500 }]
    })
    testNode.signal(0, true)
    testNode.to(1000)
    assert.deepStrictEqual(testNode.phases(), ["0 0: db 600s", "126 done"])
    assert.include(
      testNode.logs,
      "Error Failed while waiting for all the volumes belonging to Pods in this group to unmount"
    )
  })

  it("does not wait longer for a kill than the kill itself does", () => {
    const testNode = startTestManager({ config: byPriority([0, 60]), pods: [{ name: "stuck", grace: 20 }] })
    testNode.signal(0, true)
    testNode.to(100)
    assert.deepStrictEqual(testNode.phases(), ["0 0: stuck 20s", "30 done"])
    assert.include(testNode.logs, "Debug Shutdown manager failed killing pod")
  })

  it("posts the node's status in the background", () => {
    const testNode = startTestManager({
      config: twoPeriods(30, 10),
      pods: [{ name: "web", stopsAfter: 1 }],
      statusSyncSeconds: 8
    })
    testNode.signal(0, true)
    testNode.to(100)
    assert.deepStrictEqual(testNode.statusSyncs, [8])
    assert.deepStrictEqual(testNode.powerOffs, [{ at: 1, why: "released" }])
  })
})

describe("while the node shuts down", () => {
  it("admits no pod and is not ready", () => {
    const testNode = startTestManager({ config: twoPeriods(30, 10), pods: [{ name: "web", stopsAfter: 9 }] })
    assert.strictEqual(testNode.manager.admit(), undefined)
    assert.strictEqual(testNode.manager.shutdownStatus(), undefined)
    testNode.signal(5, true)
    assert.deepStrictEqual(testNode.manager.admit(), {
      reason: "NodeShutdown",
      message: "Pod was rejected as the node is shutting down."
    })
    assert.strictEqual(testNode.manager.shutdownStatus(), "node is shutting down")
    assert.deepStrictEqual(testNode.statusSyncs, [5])
  })

  it("handles a cancellation only after all phases have run", () => {
    const testNode = startTestManager({
      config: twoPeriods(30, 10),
      pods: [
        { name: "web", stopsAfter: 6 },
        { name: "dns", priority: critical, stopsAfter: 2 }
      ]
    })
    testNode.signal(0, true)
    testNode.signal(3, false)
    testNode.to(7.9)
    assert.isDefined(testNode.manager.admit())
    testNode.to(8)
    assert.isUndefined(testNode.manager.admit())
    assert.isUndefined(testNode.manager.shutdownStatus())
    assert.deepStrictEqual(testNode.nodeEvents, [`0 ${event}`, `8 ${cancellation}`])
    assert.strictEqual(testNode.kills.length, 2)
    assert.strictEqual(testNode.logind.locksHeld(), 1)
    // The status recovers with the next regular pass.
    assert.deepStrictEqual(testNode.statusSyncs, [0])
  })

  it("answers a cancellation without a shutdown with an event and a new lock", () => {
    const testNode = startTestManager({ config: twoPeriods(30, 10) })
    testNode.signal(1, false)
    testNode.signal(2, false)
    assert.deepStrictEqual(testNode.nodeEvents, [`1 ${cancellation}`, `2 ${cancellation}`])
    assert.strictEqual(testNode.logind.locksTaken(), 3)
    assert.strictEqual(testNode.logind.locksHeld(), 1)
  })

  it("repeats everything at a second signal, for the remaining pods, and releases no lock twice", () => {
    const testNode = startTestManager({
      config: twoPeriods(30, 10),
      pods: [
        { name: "web", stopsAfter: 5 },
        { name: "stuck", grace: 2 }
      ]
    })
    testNode.signal(0, true)
    testNode.signal(40, true)
    testNode.to(100)
    assert.deepStrictEqual(testNode.phases(), ["0 0: web 20s, stuck 2s", "10 done", "40 0: stuck 2s", "50 done"])
    assert.deepStrictEqual(testNode.nodeEvents, [`0 ${event}`, `40 ${event}`])
    assert.strictEqual(testNode.logind.locksTaken(), 1)
    assert.strictEqual(testNode.logind.locksHeld(), 0)
  })
})

describe("the start", () => {
  it("leaves logind alone when it allows enough", () => {
    const testNode = startTestManager({ config: twoPeriods(30, 10), inhibitDelaySeconds: 30 })
    assert.deepStrictEqual(testNode.logind.overrides(), [])
    assert.strictEqual(testNode.logind.delayReadCount(), 1)
  })

  it("requests the sum of the buckets, and takes the lock when logind has reloaded", () => {
    const testNode = startTestManager({
      config: documentedConfig,
      inhibitDelaySeconds: 5,
      afterOverride: (seconds, look) => (look < 3 ? 5000 : seconds * 1000)
    })
    assert.deepStrictEqual(testNode.logind.overrides(), [370])
    testNode.to(0.299)
    assert.strictEqual(testNode.logind.locksHeld(), 0)
    testNode.to(0.3)
    assert.strictEqual(testNode.logind.locksHeld(), 1)
    assert.isUndefined(testNode.startError())
  })

  it("fails with upstream's message when logind does not reload, and is not retried", () => {
    const testNode = startTestManager({ config: documentedConfig, inhibitDelaySeconds: 5, afterOverride: () => 20_000 })
    testNode.to(1.5)
    assert.strictEqual(
      testNode.startError(),
      "node shutdown manager was timed out after 5 attempts waiting for logind InhibitDelayMaxSec to update to 6m10s " +
        "(ShutdownGracePeriod), current value is 20s"
    )
    testNode.to(1000)
    assert.strictEqual(testNode.logind.delayReadCount(), 6)
    assert.strictEqual(testNode.logind.locksTaken(), 0)
    assert.isUndefined(testNode.manager.admit())
  })

  const failing =
    (broken: Partial<InhibitorSession>) =>
    (modelled: ShutdownInhibitor["Service"]): ShutdownInhibitor["Service"] => ({
      connect: Effect.map(modelled.connect, (session) => ({ ...session, ...broken }))
    })
  const refused = Effect.fail(new InhibitorError({ message: "access denied" }))

  it("reports a failed override", () => {
    const inhibitor = failing({ overrideInhibitDelay: () => refused })
    const testNode = startTestManager({ config: twoPeriods(30, 10), inhibitDelaySeconds: 5, inhibitor })
    assert.strictEqual(testNode.startError(), "unable to override inhibit delay by shutdown manager: access denied")
  })

  it("releases the lock when it cannot subscribe", () => {
    const testNode = startTestManager({
      config: twoPeriods(30, 10),
      inhibitor: failing({ prepareForShutdown: refused })
    })
    assert.strictEqual(testNode.startError(), "failed to monitor shutdown: access denied")
    assert.strictEqual(testNode.logind.locksTaken(), 1)
    assert.strictEqual(testNode.logind.locksHeld(), 0)
  })

  it("passes on the bus's error", () => {
    assert.strictEqual(
      startTestManager({ config: twoPeriods(30, 10), inhibitor: failing({ inhibit: refused }) }).startError(),
      "access denied"
    )
    assert.strictEqual(
      startTestManager({ config: twoPeriods(30, 10), inhibitor: () => ({ connect: refused }) }).startError(),
      "access denied"
    )
  })

  it("does nothing without a configuration, or without the gate", () => {
    const off = { ...gates, GracefulNodeShutdown: false, GracefulNodeShutdownBasedOnPodPriority: false }
    for (const idle of [config(), { ...twoPeriods(30, 10), featureGates: off }]) {
      const testNode = startTestManager({ config: idle })
      assert.isFalse(testNode.manager.active)
      testNode.signal(1, true)
      assert.strictEqual(testNode.logind.locksTaken(), 0)
      assert.isUndefined(testNode.manager.admit())
      assert.deepStrictEqual(testNode.powerOffs, [{ at: 1, why: "released" }])
    }
  })
})

describe("a lost bus", () => {
  it("is reconnected after a second, with a new lock before the old one is released", () => {
    const testNode = startTestManager({ config: twoPeriods(30, 10) })
    testNode.to(5)
    testNode.logind.stopBus(0)
    testNode.to(5.999)
    assert.strictEqual(testNode.logind.locksHeld(), 1)
    assert.strictEqual(testNode.logind.locksTaken(), 1)
    testNode.to(6)
    assert.strictEqual(testNode.logind.locksTaken(), 2)
    assert.strictEqual(testNode.logind.locksHeld(), 1)
    testNode.signal(7, true)
    assert.strictEqual(testNode.nodeEvents.length, 1)
  })

  it("is retried each second, without end", () => {
    const testNode = startTestManager({ config: twoPeriods(30, 10) })
    testNode.to(5)
    testNode.logind.stopBus(100)
    testNode.to(105)
    const failures = testNode.logs.filter((line) => line === "Error Unable to watch the node for shutdown events")
    assert.strictEqual(failures.length, 100)
    assert.strictEqual(testNode.logind.locksTaken(), 1)
    testNode.to(106)
    assert.strictEqual(testNode.logind.locksTaken(), 2)
    assert.deepStrictEqual(
      testNode.trace.filter(({ type }) => type === "watching").map(({ at }) => at),
      [0, 106]
    )
  })

  it("reads the delay again, and overrides it again if needed", () => {
    const testNode = startTestManager({ config: twoPeriods(30, 10), inhibitDelaySeconds: 5 })
    assert.strictEqual(testNode.logind.overrides().length, 1)
    testNode.logind.stopBus(0)
    testNode.to(2)
    assert.strictEqual(testNode.logind.delayReadCount(), 3)
  })

  it("neither ends a shutdown in progress nor resets its state", () => {
    const testNode = startTestManager({ config: twoPeriods(30, 10), pods: [{ name: "web", stopsAfter: 9 }] })
    testNode.signal(0, true)
    testNode.to(3)
    testNode.logind.stopBus(0)
    testNode.to(50)
    assert.deepStrictEqual(testNode.phases(), ["0 0: web 20s", "9 done"])
    assert.isDefined(testNode.manager.admit())
    assert.strictEqual(testNode.logind.locksTaken(), 2)
  })
})

describe("the end of the process", () => {
  it("releases the lock and resets the state", () => {
    const testNode = startTestManager({ config: twoPeriods(30, 10), pods: [{ name: "web", stopsAfter: 9 }] })
    testNode.signal(0, true)
    testNode.to(3)
    testNode.end()
    assert.strictEqual(testNode.logind.locksHeld(), 0)
    assert.isUndefined(testNode.manager.admit())
    testNode.to(50)
    assert.deepStrictEqual(testNode.phases(), ["0 0: web 20s"])
  })
})
