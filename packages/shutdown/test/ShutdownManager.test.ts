import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { InhibitorError, type InhibitorSession, type ShutdownInhibitor } from "../src/index.ts"
import { byPriority, config, documented, gates, makeWorld, plain } from "./world.ts"

const critical = 2_000_000_000
const event = "Shutdown: Shutdown manager detected shutdown event"
const cancellation = "Shutdown: Shutdown manager detected shutdown cancellation"

describe("a shutdown", () => {
  it("kills phase by phase, and releases the lock at the end", () => {
    const world = makeWorld({
      config: plain(30, 10),
      pods: [
        { name: "dns", priority: critical, grace: 30, stopsAfter: 4 },
        { name: "web", priority: 0, grace: 30, stopsAfter: 7 }
      ]
    })
    assert.strictEqual(world.logind.locksHeld(), 1)
    world.signal(5, true)
    world.to(15.999)
    assert.strictEqual(world.logind.locksHeld(), 1)
    assert.deepStrictEqual(world.powerOffs, [])
    world.to(16)
    assert.deepStrictEqual(world.phases(), ["5 0: web 20s", "12 done", `12 ${critical}: dns 10s`, "16 done"])
    assert.deepStrictEqual(world.powerOffs, [{ at: 16, why: "released" }])
    assert.deepStrictEqual(world.nodeEvents, [`5 ${event}`])
    assert.deepInclude(world.kills[0], {
      reason: "Terminated",
      message: "Pod was terminated in response to imminent node shutdown."
    })
    assert.deepStrictEqual(
      world.trace.map(({ type }) => type),
      ["watching", "started", "phaseStarted", "phaseEnded", "phaseStarted", "phaseEnded", "finished"]
    )
  })

  it("processes the four classes of the documentation in order, and skips a class without pods", () => {
    const pods = [
      { name: "a", priority: 100_000, grace: 30, stopsAfter: 2 },
      { name: "b", priority: 10_000, grace: 300, stopsAfter: 40 },
      { name: "regular", priority: 0, grace: 30, stopsAfter: 20 }
    ]
    const world = makeWorld({ config: documented, pods })
    world.signal(0, true)
    world.to(1000)
    assert.deepStrictEqual(world.phases(), [
      "0 0: regular 30s",
      "20 done",
      "20 10000: b 180s",
      "60 done",
      "60 100000: a 10s",
      "62 done"
    ])
  })

  it("puts a class without a bucket of its own into the next lower one", () => {
    const world = makeWorld({
      config: byPriority([100_000, 300], [1000, 120], [0, 60]),
      pods: [{ name: "b", priority: 10_000, grace: 600, stopsAfter: 5 }]
    })
    world.signal(0, true)
    world.to(10)
    assert.deepStrictEqual(world.phases(), ["0 1000: b 120s", "5 done"])
  })

  it("starts the next phase when the time has passed, while slow pods are still terminating", () => {
    const world = makeWorld({
      config: plain(30, 10),
      pods: [
        { name: "slow", grace: 60, stopsAfter: 25 },
        { name: "dns", priority: critical, grace: 30, stopsAfter: 8 }
      ]
    })
    world.signal(0, true)
    world.to(100)
    assert.deepStrictEqual(world.phases(), ["0 0: slow 20s", "20 over", `20 ${critical}: dns 10s`, "28 done"])
    assert.deepStrictEqual(
      world.logs.filter((line) => line.includes("finished killing")),
      ["Debug Shutdown manager finished killing pod", "Debug Shutdown manager finished killing pod"]
    )
  })

  it("kills the pods of a bucket without seconds too", () => {
    const world = makeWorld({
      config: plain(30, 0),
      pods: [
        { name: "web", stopsAfter: 5 },
        { name: "dns", priority: critical, stopsAfter: 3 },
        { name: "net", priority: critical, stopsAfter: 3 }
      ]
    })
    world.signal(0, true)
    world.to(100)
    assert.deepStrictEqual(world.phases(), ["0 0: web 30s", "5 done", `5 ${critical}: dns 0s, net 0s`, "5 over"])
    assert.deepStrictEqual(
      world.kills.map(({ pod }) => pod),
      ["web", "dns", "net"]
    )
    assert.deepStrictEqual(world.powerOffs, [{ at: 5, why: "released" }])
  })

  it("waits for volumes within the phase", () => {
    const world = makeWorld({ config: plain(30, 0), pods: [{ name: "db", stopsAfter: 3, volumesAfter: 9 }] })
    world.signal(0, true)
    world.to(100)
    assert.deepStrictEqual(world.phases(), ["0 0: db 30s", "9 done"])
  })

  it("gives up on volumes after 2 min 3 s, however long the phase", () => {
    const world = makeWorld({ config: plain(600, 0), pods: [{ name: "db", stopsAfter: 3, volumesAfter: 500 }] })
    world.signal(0, true)
    world.to(1000)
    assert.deepStrictEqual(world.phases(), ["0 0: db 600s", "126 done"])
    assert.include(
      world.logs,
      "Error Failed while waiting for all the volumes belonging to Pods in this group to unmount"
    )
  })

  it("does not wait longer for a kill than the kill itself does", () => {
    const world = makeWorld({ config: byPriority([0, 60]), pods: [{ name: "stuck", grace: 20 }] })
    world.signal(0, true)
    world.to(100)
    assert.deepStrictEqual(world.phases(), ["0 0: stuck 20s", "30 done"])
    assert.include(world.logs, "Debug Shutdown manager failed killing pod")
  })

  it("posts the node's status in the background", () => {
    const world = makeWorld({ config: plain(30, 10), pods: [{ name: "web", stopsAfter: 1 }], statusSyncSeconds: 8 })
    world.signal(0, true)
    world.to(100)
    assert.deepStrictEqual(world.statusSyncs, [8])
    assert.deepStrictEqual(world.powerOffs, [{ at: 1, why: "released" }])
  })
})

describe("while the node shuts down", () => {
  it("admits no pod and is not ready", () => {
    const world = makeWorld({ config: plain(30, 10), pods: [{ name: "web", stopsAfter: 9 }] })
    assert.strictEqual(world.manager.admit(), undefined)
    assert.strictEqual(world.manager.shutdownStatus(), undefined)
    world.signal(5, true)
    assert.deepStrictEqual(world.manager.admit(), {
      reason: "NodeShutdown",
      message: "Pod was rejected as the node is shutting down."
    })
    assert.strictEqual(world.manager.shutdownStatus(), "node is shutting down")
    assert.deepStrictEqual(world.statusSyncs, [5])
  })

  it("handles a cancellation only after all phases have run", () => {
    const world = makeWorld({
      config: plain(30, 10),
      pods: [
        { name: "web", stopsAfter: 6 },
        { name: "dns", priority: critical, stopsAfter: 2 }
      ]
    })
    world.signal(0, true)
    world.signal(3, false)
    world.to(7.9)
    assert.isDefined(world.manager.admit())
    world.to(8)
    assert.isUndefined(world.manager.admit())
    assert.isUndefined(world.manager.shutdownStatus())
    assert.deepStrictEqual(world.nodeEvents, [`0 ${event}`, `8 ${cancellation}`])
    assert.strictEqual(world.kills.length, 2)
    assert.strictEqual(world.logind.locksHeld(), 1)
    // The status recovers with the next regular pass.
    assert.deepStrictEqual(world.statusSyncs, [0])
  })

  it("answers a cancellation without a shutdown with an event and a new lock", () => {
    const world = makeWorld({ config: plain(30, 10) })
    world.signal(1, false)
    world.signal(2, false)
    assert.deepStrictEqual(world.nodeEvents, [`1 ${cancellation}`, `2 ${cancellation}`])
    assert.strictEqual(world.logind.locksTaken(), 3)
    assert.strictEqual(world.logind.locksHeld(), 1)
  })

  it("repeats everything at a second signal, for the remaining pods, and releases no lock twice", () => {
    const world = makeWorld({
      config: plain(30, 10),
      pods: [
        { name: "web", stopsAfter: 5 },
        { name: "stuck", grace: 2 }
      ]
    })
    world.signal(0, true)
    world.signal(40, true)
    world.to(100)
    assert.deepStrictEqual(world.phases(), ["0 0: web 20s, stuck 2s", "10 done", "40 0: stuck 2s", "50 done"])
    assert.deepStrictEqual(world.nodeEvents, [`0 ${event}`, `40 ${event}`])
    assert.strictEqual(world.logind.locksTaken(), 1)
    assert.strictEqual(world.logind.locksHeld(), 0)
  })
})

describe("the start", () => {
  it("leaves logind alone when it allows enough", () => {
    const world = makeWorld({ config: plain(30, 10), inhibitDelaySeconds: 30 })
    assert.deepStrictEqual(world.logind.overrides(), [])
    assert.strictEqual(world.logind.delayLooks(), 1)
  })

  it("requests the sum of the buckets, and takes the lock when logind has reloaded", () => {
    const world = makeWorld({
      config: documented,
      inhibitDelaySeconds: 5,
      afterOverride: (seconds, look) => (look < 3 ? 5000 : seconds * 1000)
    })
    assert.deepStrictEqual(world.logind.overrides(), [370])
    world.to(0.299)
    assert.strictEqual(world.logind.locksHeld(), 0)
    world.to(0.3)
    assert.strictEqual(world.logind.locksHeld(), 1)
    assert.isUndefined(world.startError())
  })

  it("fails with upstream's message when logind does not reload, and is not retried", () => {
    const world = makeWorld({ config: documented, inhibitDelaySeconds: 5, afterOverride: () => 20_000 })
    world.to(1.5)
    assert.strictEqual(
      world.startError(),
      "node shutdown manager was timed out after 5 attempts waiting for logind InhibitDelayMaxSec to update to 6m10s " +
        "(ShutdownGracePeriod), current value is 20s"
    )
    world.to(1000)
    assert.strictEqual(world.logind.delayLooks(), 6)
    assert.strictEqual(world.logind.locksTaken(), 0)
    assert.isUndefined(world.manager.admit())
  })

  const failing =
    (broken: Partial<InhibitorSession>) =>
    (modelled: ShutdownInhibitor["Service"]): ShutdownInhibitor["Service"] => ({
      connect: Effect.map(modelled.connect, (session) => ({ ...session, ...broken }))
    })
  const refused = Effect.fail(new InhibitorError({ message: "access denied" }))

  it("reports a failed override", () => {
    const inhibitor = failing({ overrideInhibitDelay: () => refused })
    const world = makeWorld({ config: plain(30, 10), inhibitDelaySeconds: 5, inhibitor })
    assert.strictEqual(world.startError(), "unable to override inhibit delay by shutdown manager: access denied")
  })

  it("releases the lock when it cannot subscribe", () => {
    const world = makeWorld({ config: plain(30, 10), inhibitor: failing({ prepareForShutdown: refused }) })
    assert.strictEqual(world.startError(), "failed to monitor shutdown: access denied")
    assert.strictEqual(world.logind.locksTaken(), 1)
    assert.strictEqual(world.logind.locksHeld(), 0)
  })

  it("passes on the bus's error", () => {
    assert.strictEqual(
      makeWorld({ config: plain(30, 10), inhibitor: failing({ inhibit: refused }) }).startError(),
      "access denied"
    )
    assert.strictEqual(
      makeWorld({ config: plain(30, 10), inhibitor: () => ({ connect: refused }) }).startError(),
      "access denied"
    )
  })

  it("does nothing without a configuration, or without the gate", () => {
    const off = { ...gates, GracefulNodeShutdown: false, GracefulNodeShutdownBasedOnPodPriority: false }
    for (const idle of [config(), { ...plain(30, 10), featureGates: off }]) {
      const world = makeWorld({ config: idle })
      assert.isFalse(world.manager.active)
      world.signal(1, true)
      assert.strictEqual(world.logind.locksTaken(), 0)
      assert.isUndefined(world.manager.admit())
      assert.deepStrictEqual(world.powerOffs, [{ at: 1, why: "released" }])
    }
  })
})

describe("a lost bus", () => {
  it("is reconnected after a second, with a new lock before the old one is released", () => {
    const world = makeWorld({ config: plain(30, 10) })
    world.to(5)
    world.logind.stopBus(0)
    world.to(5.999)
    assert.strictEqual(world.logind.locksHeld(), 1)
    assert.strictEqual(world.logind.locksTaken(), 1)
    world.to(6)
    assert.strictEqual(world.logind.locksTaken(), 2)
    assert.strictEqual(world.logind.locksHeld(), 1)
    world.signal(7, true)
    assert.strictEqual(world.nodeEvents.length, 1)
  })

  it("is retried each second, without end", () => {
    const world = makeWorld({ config: plain(30, 10) })
    world.to(5)
    world.logind.stopBus(100)
    world.to(105)
    const failures = world.logs.filter((line) => line === "Error Unable to watch the node for shutdown events")
    assert.strictEqual(failures.length, 100)
    assert.strictEqual(world.logind.locksTaken(), 1)
    world.to(106)
    assert.strictEqual(world.logind.locksTaken(), 2)
    assert.deepStrictEqual(
      world.trace.filter(({ type }) => type === "watching").map(({ at }) => at),
      [0, 106]
    )
  })

  it("reads the delay again, and overrides it again if needed", () => {
    const world = makeWorld({ config: plain(30, 10), inhibitDelaySeconds: 5 })
    assert.strictEqual(world.logind.overrides().length, 1)
    world.logind.stopBus(0)
    world.to(2)
    assert.strictEqual(world.logind.delayLooks(), 3)
  })

  it("neither ends a shutdown in progress nor resets its state", () => {
    const world = makeWorld({ config: plain(30, 10), pods: [{ name: "web", stopsAfter: 9 }] })
    world.signal(0, true)
    world.to(3)
    world.logind.stopBus(0)
    world.to(50)
    assert.deepStrictEqual(world.phases(), ["0 0: web 20s", "9 done"])
    assert.isDefined(world.manager.admit())
    assert.strictEqual(world.logind.locksTaken(), 2)
  })
})

describe("the end of the process", () => {
  it("releases the lock and resets the state", () => {
    const world = makeWorld({ config: plain(30, 10), pods: [{ name: "web", stopsAfter: 9 }] })
    world.signal(0, true)
    world.to(3)
    world.end()
    assert.strictEqual(world.logind.locksHeld(), 0)
    assert.isUndefined(world.manager.admit())
    world.to(50)
    assert.deepStrictEqual(world.phases(), ["0 0: web 20s"])
  })
})
