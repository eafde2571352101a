import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { makeLogindInhibitor, systemBusAddress } from "../../src/logind/index.ts"
import { type LogindRig, makeLogindRig, missingForLogind } from "../../src/testing/index.ts"

const holder = fileURLToPath(new URL("holder.ts", import.meta.url))

/** A child process that takes the lock. */
const startHolder = ({ options }: LogindRig, how: "end" | "stay") =>
  Effect.promise(async () => {
    const child = spawn(process.execPath, [holder, options.busAddress, how], { stdio: ["ignore", "pipe", "inherit"] })
    await once(child.stdout, "data")
    return child
  })

/** The systemd-inhibit processes that are connected to this bus. */
const lockHolders = ({ options }: LogindRig): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const speaksToIt = readFileSync(`/proc/${pid}/environ`, "utf8").includes(options.busAddress)
        return speaksToIt && readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "systemd-inhibit"
      } catch {
        return false
      }
    })
    .map(Number)

/** The tests start programs, possibly on a busy machine. */
const itOverBus = (name: string, body: (rig: LogindRig) => Effect.Effect<unknown, unknown, Scope.Scope>) =>
  it.live(name, () => Effect.flatMap(makeLogindRig, body), 30_000)

describe.skipIf(missingForLogind !== "")(
  `logind over a real bus${missingForLogind === "" ? "" : ` (missing: ${missingForLogind})`}`,
  () => {
    itOverBus("takes the lock in the kubelet's name", (rig) =>
      Effect.gen(function* () {
        const session = yield* rig.inhibitor.connect
        const release = yield* session.inhibit
        assert.deepStrictEqual((yield* rig.locks)[0]?.slice(0, 4), [
          "shutdown",
          "kubelet",
          "Kubelet needs time to handle node shutdown",
          "delay"
        ])
        yield* release
        yield* rig.waitForLockCount(0)
      })
    )

    itOverBus("releases the lock when the process that took it is killed", (rig) =>
      Effect.gen(function* () {
        const child = yield* startHolder(rig, "stay")
        yield* rig.waitForLockCount(1)
        child.kill("SIGKILL")
        yield* rig.waitForLockCount(0)
      })
    )

    itOverBus("ends the session when the lock is lost, and not when it is released", (rig) =>
      Effect.gen(function* () {
        const session = yield* rig.inhibitor.connect
        const release = yield* session.inhibit
        yield* release
        assert.strictEqual(yield* session.inhibitDelayMs, 5000)
        const signals = yield* session.prepareForShutdown
        yield* session.inhibit
        yield* rig.waitForLockCount(1)
        for (const pid of lockHolders(rig)) process.kill(pid, "SIGKILL")
        const seen = yield* Stream.runCollect(signals).pipe(Effect.timeout("10 seconds"))
        assert.deepStrictEqual(seen, [])
        assert.strictEqual((yield* Effect.flip(session.inhibitDelayMs)).message.split(": ").at(-1), "connection closed")
        yield* rig.waitForLockCount(0)
      })
    )

    itOverBus("does not keep a process alive that did not release the lock", (rig) =>
      Effect.gen(function* () {
        const child = yield* startHolder(rig, "end")
        if (child.exitCode === null) yield* Effect.promise(() => once(child, "exit"))
        assert.strictEqual(child.exitCode, 0)
        yield* rig.waitForLockCount(0)
      })
    )

    itOverBus("writes the override as the kubelet does, over an older one too", (rig) =>
      Effect.gen(function* () {
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

    itOverBus("fails when the override cannot be written", (rig) =>
      Effect.gen(function* () {
        const { busAddress } = rig.options
        const session = yield* makeLogindInhibitor({ busAddress, root: "/etc/hostname" }).connect
        const { message } = yield* Effect.flip(session.overrideInhibitDelay(90))
        assert.match(message, /^failed creating \/etc\/hostname\/etc\/systemd\/logind.conf.d directory: ENOTDIR/)
      })
    )

    itOverBus("ignores signals without a value, or without a boolean", (rig) =>
      Effect.gen(function* () {
        const session = yield* rig.inhibitor.connect
        const signals = yield* session.prepareForShutdown
        yield* rig.emitRaw("", [])
        yield* rig.emitRaw("s", ["true"])
        yield* rig.emitRaw("b", [true])
        const logged: Array<unknown> = []
        const logger = Logger.make(({ message }) => logged.push(...[message].flat()))
        const seen = yield* Stream.runCollect(Stream.take(signals, 1)).pipe(
          Effect.timeout("10 seconds"),
          Effect.provide(Logger.layer([logger]))
        )
        assert.deepStrictEqual(seen, [true])
        assert.deepStrictEqual(logged, [
          "Failed obtaining shutdown event, PrepareForShutdown event was empty",
          "Failed obtaining shutdown event, PrepareForShutdown event was not bool type as expected"
        ])
      })
    )

    it.live("fails without a bus, or without its address", () =>
      Effect.gen(function* () {
        const nobody = makeLogindInhibitor({ busAddress: "unix:path=/nowhere/bus" })
        assert.match((yield* Effect.flip(nobody.connect)).message, /ENOENT/)
        const nonsense = makeLogindInhibitor({ busAddress: "carrier-pigeon:loft=7" })
        assert.strictEqual((yield* Effect.flip(nonsense.connect))._tag, "InhibitorError")
      })
    )

    itOverBus("fails when no service on the bus is logind", (rig) =>
      Effect.gen(function* () {
        yield* rig.stopLogind
        const session = yield* rig.inhibitor.connect
        const [delay, lock] = yield* Effect.all([
          Effect.flip(session.inhibitDelayMs),
          Effect.flip(Effect.asVoid(session.inhibit))
        ])
        assert.match(
          delay.message,
          /^failed reading InhibitDelayMaxUSec property from logind: .*org.freedesktop.login1/
        )
        assert.match(lock.message, /^failed creating systemd inhibitor: Failed to inhibit: .*org.freedesktop.login1/)
      })
    )
  }
)

describe("the address of the system bus", () => {
  it.effect("comes from the environment, else is the standard one", () =>
    Effect.gen(function* () {
      const under = (env: Record<string, string>) => systemBusAddress.parse(ConfigProvider.fromUnknown(env))
      assert.strictEqual(yield* under({ DBUS_SYSTEM_BUS_ADDRESS: "unix:path=/x" }), "unix:path=/x")
      assert.strictEqual(yield* under({}), "unix:path=/run/dbus/system_bus_socket")
    })
  )
})
