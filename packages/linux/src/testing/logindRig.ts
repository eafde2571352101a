import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { InhibitorRig } from "@rollcall/shutdown/testing"
import dbus, { type MessageBus } from "dbus-native"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { type LogindOptions, makeLogindInhibitor } from "../logind/index.ts"

const succeeds = (command: string, ...args: ReadonlyArray<string>): boolean =>
  spawnSync(command, args, { stdio: "ignore" }).status === 0

/** The programs that the machine lacks for these tests; empty if it has all. */
export const missingForLogind: string = [
  succeeds("dbus-daemon", "--version") ? [] : ["dbus-daemon (Debian: dbus)"],
  succeeds("systemd-inhibit", "--version") ? [] : ["systemd-inhibit (Debian: systemd)"],
  succeeds("/usr/bin/python3", "-c", "import dbusmock") ? [] : ["dbusmock (Debian: python3-dbusmock)"]
]
  .flat()
  .join(", ")

const busConfig = (
  socket: string
): string => `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <listen>unix:path=${socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`

/** Starts a program; completes when it prints its first line. */
const start = (command: string, args: ReadonlyArray<string>, address = ""): Effect.Effect<ChildProcess> =>
  Effect.callback((resume) => {
    const child = spawn("env", [`DBUS_SYSTEM_BUS_ADDRESS=${address}`, command, ...args], {
      stdio: ["ignore", "pipe", "pipe"]
    })
    let stderr = ""
    child.stderr.on("data", (text) => {
      stderr += String(text)
    })
    child.stdout.once("data", () => resume(Effect.succeed(child)))
    child.once("exit", (code) => resume(Effect.die(new Error(`${command} ended with ${code}: ${stderr}`))))
  })

const stop = (child: ChildProcess | undefined): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGKILL")
  })

export interface LogindRig extends InhibitorRig {
  readonly options: Required<LogindOptions>
  /** What, who, why and mode of each lock that logind knows. */
  readonly locks: Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>>
  /** Waits until this many locks are held. */
  readonly waitForLockCount: (expected: number) => Effect.Effect<void>
  /** Ends logind; the bus keeps running. */
  readonly stopLogind: Effect.Effect<void>
  /** Sends a PrepareForShutdown with any body. */
  readonly emitRaw: (signature: string, body: ReadonlyArray<unknown>) => Effect.Effect<void>
}

const DELAY_MS = 5000
/** The file in the package's source, also when this module was built. */
const standin = fileURLToPath(new URL("../../src/testing/standin.py", import.meta.url))

/** A private bus with a logind stand-in, in a temporary folder, until the scope ends. */
export const makeLogindRig: Effect.Effect<LogindRig, never, Scope.Scope> = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "logind-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const socket = join(folder, "bus")
  const config = join(folder, "bus.conf")
  writeFileSync(config, busConfig(socket))
  const options = { busAddress: `unix:path=${socket}`, root: folder }

  let daemon: ChildProcess | undefined
  let logind: ChildProcess | undefined
  let bus: MessageBus | undefined

  const stopBus = Effect.gen(function* () {
    yield* Effect.promise(async () => bus?.close())
    bus = undefined
    yield* stop(daemon)
    yield* stop(logind)
  })
  const startBus = Effect.gen(function* () {
    rmSync(socket, { force: true })
    daemon = yield* start("dbus-daemon", [`--config-file=${config}`, "--nofork", "--print-address"])
    logind = yield* start("/usr/bin/python3", [standin, String(DELAY_MS * 1000), folder], options.busAddress)
    bus = dbus.createClient({ busAddress: options.busAddress, fdTransport: false })
    bus.connection.on("error", () => undefined)
  })
  yield* Effect.acquireRelease(startBus, () => stopBus)

  const callBus = (iface: string, member: string, signature: string, body: Array<unknown>) =>
    Effect.promise(async (): Promise<unknown> => {
      const message = {
        destination: "org.freedesktop.login1",
        path: "/org/freedesktop/login1",
        interface: iface,
        member
      }
      return await bus?.invoke(signature === "" ? message : { ...message, signature, body })
    })
  const locks = Effect.map(
    callBus("org.freedesktop.login1.Manager", "ListInhibitors", "", []),
    (answer) => answer as ReadonlyArray<ReadonlyArray<unknown>>
  )
  const emitRaw = (signature: string, body: ReadonlyArray<unknown>) =>
    Effect.sync(() =>
      bus?.sendSignal("/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForShutdown", signature, [
        ...body
      ])
    )
  const locksHeld = Effect.map(locks, (count) => count.length)
  return {
    options,
    inhibitor: makeLogindInhibitor(options),
    inhibitDelayMs: DELAY_MS,
    locks,
    locksHeld,
    waitForLockCount: (expected) =>
      locksHeld.pipe(
        Effect.filterOrFail(
          (count) => count === expected,
          (count) => new Error(`expected ${expected} locks, found ${count}`)
        ),
        Effect.retry(Schedule.spaced("20 millis").pipe(Schedule.upTo({ times: 250 }))),
        Effect.orDie,
        Effect.asVoid
      ),
    emit: (goingDown) =>
      Effect.asVoid(
        callBus("org.freedesktop.DBus.Mock", "EmitSignal", "sssav", [
          "org.freedesktop.login1.Manager",
          "PrepareForShutdown",
          "b",
          [new dbus.Variant("b", goingDown)]
        ])
      ),
    emitRaw,
    stopLogind: Effect.suspend(() => stop(logind)),
    stopBus,
    startBus
  }
})
