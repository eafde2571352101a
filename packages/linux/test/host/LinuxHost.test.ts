import { assert, describe, it } from "@effect/vitest"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { System } from "../../src/host/index.ts"
import { makeLinuxHost } from "../../src/host/LinuxHost.ts"
import { laptop } from "./machines/laptop.ts"
import { systemOf } from "./machines/Tree.ts"

const versions = { kubeletVersion: "v1.36.2", runtimeType: "containerd", runtimeVersion: "2.1.0" }

/** A laptop with a changeable boot id and changeable addresses. */
const makeChangingSystem = Effect.map(systemOf(laptop), (system) => {
  const now: { boot: string | undefined; up: boolean } = { boot: undefined, up: true }
  const changed: System = {
    ...system,
    read: (path) => (now.boot !== undefined && path.endsWith("boot_id") ? now.boot : system.read(path)),
    interfaces: () => (now.up ? system.interfaces() : {})
  }
  return { now, system: changed }
})

/** Only the readings' timestamps use the wall clock. */
const hostOf = (
  system: System,
  more: { hostname?: string; resolve?: () => Effect.Effect<ReadonlyArray<string>> } = {}
) => makeLinuxHost({ hostname: "n1", versions, system, ...more }).pipe(Effect.provide(layerWallClock()))

const resolvesNothing = { resolve: () => Effect.succeed([]) }

describe("the machine of a kubelet", () => {
  it.effect("is the same object until a refresh finds a change", () =>
    Effect.gen(function* () {
      const { now, system } = yield* makeChangingSystem
      const { host, refresh } = yield* hostOf(system, resolvesNothing)
      const first = host.machine()
      assert.isFalse(yield* refresh)
      assert.strictEqual(host.machine(), first)
      now.boot = "another"
      assert.strictEqual(host.machine(), first)
      assert.isTrue(yield* refresh)
      assert.strictEqual(host.machine().bootID, "another")
      host.booted()
      assert.strictEqual(host.machine().bootID, "another")
    })
  )

  it.effect("loses its address with its interfaces, and finds it again", () =>
    Effect.gen(function* () {
      const { now, system } = yield* makeChangingSystem
      const linux = yield* hostOf(system, resolvesNothing)
      const addresses = () => linux.host.machine().addresses.map(({ address }) => address)
      now.up = false
      yield* linux.refresh
      assert.deepStrictEqual(addresses(), ["n1"])
      now.up = true
      yield* linux.refresh
      assert.deepStrictEqual(addresses(), ["192.168.178.31", "n1"])
    })
  )

  it.effect("is refreshed repeatedly while the scope lasts", () =>
    Effect.gen(function* () {
      const { now, system } = yield* makeChangingSystem
      const { host, keepRefreshing } = yield* hostOf(system, resolvesNothing)
      yield* Effect.scoped(
        Effect.gen(function* () {
          let changes = 0
          yield* keepRefreshing(10_000, () => changes++)
          now.boot = "second"
          yield* TestClock.adjust(9_999)
          assert.notStrictEqual(host.machine().bootID, "second")
          yield* TestClock.adjust(1)
          assert.strictEqual(host.machine().bootID, "second")
          now.boot = "third"
          yield* TestClock.adjust(10_000)
          assert.strictEqual(host.machine().bootID, "third")
          yield* TestClock.adjust(100_000)
          assert.strictEqual(changes, 2)
        })
      )
      now.boot = "fourth"
      yield* TestClock.adjust(60_000)
      assert.strictEqual(host.machine().bootID, "third")
    })
  )

  it.live("resolves its name", () =>
    Effect.gen(function* () {
      const { system } = yield* makeChangingSystem
      const { host } = yield* hostOf(system, { hostname: "localhost" })
      assert.isNotEmpty(host.machine().network?.lookup ?? [])
      const nobody = yield* hostOf(system, { hostname: "nobody.invalid" })
      assert.deepStrictEqual(nobody.host.machine().network?.lookup, [])
    })
  )
})
