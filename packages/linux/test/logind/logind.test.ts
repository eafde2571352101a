import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { makeLogindInhibitor, systemBusAddress } from "../../src/logind/index.ts"
import { type LogindRig, makeLogindRig as makeRig, missingForLogind as missing } from "../../src/testing/index.ts"

const holder = fileURLToPath(new URL("holder.ts", import.meta.url))

const locksBecome = ({ locksHeld }: LogindRig, expected: number) =>
  locksHeld.pipe(
    Effect.filterOrFail((held) => held === expected),
    Effect.retry(Schedule.spaced("20 millis").pipe(Schedule.upTo({ times: 250 })))
  )

/** A process of our own that takes the lock. */
const startHolder = ({ options }: LogindRig, how: "end" | "stay") =>
  Effect.promise(async () => {
    const child = spawn(process.execPath, [holder, options.busAddress, how], { stdio: ["ignore", "pipe", "inherit"] })
    await once(child.stdout, "data")
    return child
  })

describe.skipIf(missing !== "")(`logind over a real bus${missing === "" ? "" : ` (missing: ${missing})`}`, () => {
  it.live("takes the lock in the kubelet's name", () =>
    Effect.gen(function* () {
      const rig = yield* makeRig
      const session = yield* rig.inhibitor.connect
      const release = yield* session.inhibit
      assert.deepStrictEqual((yield* rig.locks)[0]?.slice(0, 4), [
        "shutdown",
        "kubelet",
        "Kubelet needs time to handle node shutdown",
        "delay"
      ])
      yield* release
      yield* locksBecome(rig, 0)
    })
  )

  it.live("releases the lock when the process that took it is killed", () =>
    Effect.gen(function* () {
      const rig = yield* makeRig
      const child = yield* startHolder(rig, "stay")
      yield* locksBecome(rig, 1)
      child.kill("SIGKILL")
      yield* locksBecome(rig, 0)
    })
  )

  it.live("keeps nobody from ending who forgot to release", () =>
    Effect.gen(function* () {
      const rig = yield* makeRig
      const child = yield* startHolder(rig, "end")
      if (child.exitCode === null) yield* Effect.promise(() => once(child, "exit"))
      assert.strictEqual(child.exitCode, 0)
      yield* locksBecome(rig, 0)
    })
  )

  it.live("writes the override as the kubelet does, over an older one too", () =>
    Effect.gen(function* () {
      const rig = yield* makeRig
      const session = yield* rig.inhibitor.connect
      yield* session.overrideInhibitDelay(90)
      yield* session.overrideInhibitDelay(370)
      const folder = join(rig.options.root, "etc/systemd/logind.conf.d")
      const file = join(folder, "99-kubelet.conf")
      assert.strictEqual(readFileSync(file, "utf8"), "# Kubelet logind override\n[Login]\nInhibitDelayMaxSec=370\n")
      assert.strictEqual(statSync(file).mode & 0o777, 0o644)
      assert.strictEqual(statSync(folder).mode & 0o777, 0o755)
    })
  )

  it.live("says when the override cannot be written", () =>
    Effect.gen(function* () {
      const rig = yield* makeRig
      const { busAddress } = rig.options
      const session = yield* makeLogindInhibitor({ busAddress, root: "/etc/hostname" }).connect
      const { message } = yield* Effect.flip(session.overrideInhibitDelay(90))
      assert.match(message, /^failed creating \/etc\/hostname\/etc\/systemd\/logind.conf.d directory: ENOTDIR/)
    })
  )

  it.live("passes over signals that say nothing, or no boolean", () =>
    Effect.gen(function* () {
      const rig = yield* makeRig
      const session = yield* rig.inhibitor.connect
      const signals = yield* session.prepareForShutdown
      yield* rig.emitRaw("", [])
      yield* rig.emitRaw("s", ["true"])
      yield* rig.emitRaw("b", [true])
      const seen = yield* Stream.runCollect(Stream.take(signals, 1)).pipe(Effect.timeout("10 seconds"))
      assert.deepStrictEqual(seen, [true])
    })
  )

  it.live("says when there is no bus, or no address of one", () =>
    Effect.gen(function* () {
      const nobody = makeLogindInhibitor({ busAddress: "unix:path=/nowhere/bus" })
      assert.match((yield* Effect.flip(nobody.connect)).message, /ENOENT/)
      const nonsense = makeLogindInhibitor({ busAddress: "carrier-pigeon:loft=7" })
      assert.strictEqual((yield* Effect.flip(nonsense.connect))._tag, "InhibitorError")
    })
  )

  it.live("says when nobody on the bus is logind", () =>
    Effect.gen(function* () {
      const rig = yield* makeRig
      yield* rig.stopLogind
      const session = yield* rig.inhibitor.connect
      const [delay, lock] = yield* Effect.all([
        Effect.flip(session.inhibitDelayMs),
        Effect.flip(Effect.asVoid(session.inhibit))
      ])
      assert.match(delay.message, /^failed reading InhibitDelayMaxUSec property from logind: .*org.freedesktop.login1/)
      assert.match(lock.message, /^failed creating systemd inhibitor: Failed to inhibit: .*org.freedesktop.login1/)
    })
  )
})

describe("the address of the system bus", () => {
  it.effect("is what the environment says, else the standard one", () =>
    Effect.gen(function* () {
      const under = (env: Record<string, string>) => systemBusAddress.parse(ConfigProvider.fromUnknown(env))
      assert.strictEqual(yield* under({ DBUS_SYSTEM_BUS_ADDRESS: "unix:path=/x" }), "unix:path=/x")
      assert.strictEqual(yield* under({}), "unix:path=/run/dbus/system_bus_socket")
    })
  )
})
