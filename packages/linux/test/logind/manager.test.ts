import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Pod } from "@rollcall/api"
import {
  type KillOutcome,
  makeMemoryState,
  makeShutdownManager,
  PodKiller,
  type ShutdownEvent,
  ShutdownInhibitor,
  type ShutdownKill,
  ShutdownState
} from "@rollcall/shutdown"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as References from "effect/References"
import { makeLogindRig, missingForLogind } from "../../src/testing/index.ts"

const pod = (name: string, priority: number): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", uid: name },
  spec: { priority, terminationGracePeriodSeconds: 5, containers: [{ name: "main", image: "i" }] }
})

interface Kill extends ShutdownKill {
  readonly pod: string
  readonly locks: number
}

/** A node whose pods stop when they are killed; records the requests, and how many locks were held then. */
const scriptedNode = (pods: ReadonlyArray<Pod>, locksHeld: Effect.Effect<number>) => {
  const kills: Array<Kill> = []
  const told: Array<string> = []
  const node: PodKiller["Service"] = {
    activePods: Effect.sync(() =>
      pods.filter(({ metadata }) => kills.every(({ pod: name }) => name !== metadata.name))
    ),
    kill: ({ metadata }, kill) =>
      Effect.gen(function* (): Effect.fn.Return<KillOutcome> {
        const locks = yield* locksHeld
        kills.push({ ...kill, pod: metadata.name ?? "", locks })
        return "stopped"
      }),
    volumesUnmounted: () => Effect.void,
    syncNodeStatus: Effect.sync(() => void told.push("status")),
    nodeEvent: (reason, message) => Effect.sync(() => void told.push(`${reason}: ${message}`))
  }
  return { kills, told, node }
}

const CONFIG = {
  shutdownGracePeriodMs: 30_000,
  shutdownGracePeriodCriticalPodsMs: 10_000,
  shutdownGracePeriodByPodPriority: [],
  featureGates: { GracefulNodeShutdown: true, GracefulNodeShutdownBasedOnPodPriority: true }
}

describe.skipIf(missingForLogind !== "")(
  `a node's shutdown over a real bus${missingForLogind === "" ? "" : ` (missing: ${missingForLogind})`}`,
  () => {
    it.live(
      "raises the delay, holds the lock, stops pods by phase, releases the lock, and takes it again after the bus was stopped",
      () =>
        Effect.gen(function* () {
          const rig = yield* makeLogindRig
          const { kills, node, told } = scriptedNode(
            [pod("dns", 2_000_000_000), pod("web", 0), pod("batch", -10)],
            rig.locksHeld
          )
          const events = yield* Queue.unbounded<ShutdownEvent>()
          const manager = makeShutdownManager(CONFIG, { observe: (event) => void Queue.offerUnsafe(events, event) })
          const next = (type: ShutdownEvent["type"]) =>
            Queue.take(events).pipe(
              Effect.repeat({ until: (event) => event.type === type }),
              Effect.timeout("20 seconds")
            )
          yield* manager.start.pipe(
            Effect.provide(
              Layer.mergeAll(
                Layer.succeed(ShutdownInhibitor, rig.inhibitor),
                Layer.succeed(PodKiller, node),
                Layer.succeed(ShutdownState, makeMemoryState())
              )
            ),
            Effect.provideService(References.MinimumLogLevel, "None")
          )
          yield* next("watching")
          assert.strictEqual(yield* rig.locksHeld, 1)
          // logind's own delay of five seconds was too short.
          const override = join(rig.options.root, "etc/systemd/logind.conf.d/99-kubelet.conf")
          assert.match(readFileSync(override, "utf8"), /InhibitDelayMaxSec=30\n$/)

          yield* rig.emit(true)
          yield* next("started")
          assert.strictEqual(manager.admit()?.reason, "NodeShutdown")
          yield* next("finished")
          assert.deepStrictEqual(
            kills.map(({ graceSeconds, locks, pod: name }) => [name, graceSeconds, locks]),
            [
              ["web", 5, 1],
              ["batch", 5, 1],
              ["dns", 5, 1]
            ]
          )
          yield* rig.waitForLockCount(0)
          assert.deepStrictEqual(told, ["Shutdown: Shutdown manager detected shutdown event", "status"])

          yield* rig.emit(false)
          yield* next("cancelled")
          yield* rig.waitForLockCount(1)
          assert.strictEqual(manager.admit(), undefined)

          yield* rig.stopBus
          yield* next("lost")
          yield* rig.startBus
          yield* next("watching")
          yield* rig.waitForLockCount(1)
          yield* rig.emit(true)
          yield* next("finished")
          yield* rig.waitForLockCount(0)
        }),
      60_000
    )
  }
)
