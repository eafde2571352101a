import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { type AddressInfo, connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"

/** The first release of etcd that is supported: older ones do not tell the progress of a watch in order. */
const FIRST_SUPPORTED = [3, 5, 8]

const isSupported = (version: ReadonlyArray<number>): boolean => {
  const at = FIRST_SUPPORTED.findIndex((part, index) => part !== version[index])
  return at < 0 || (version[at] ?? 0) > (FIRST_SUPPORTED[at] ?? 0)
}

/** Returns why tests of a real etcd are skipped, by what `etcd --version` prints; undefined if it can be used. */
export const etcdFault = (printed: string): string | undefined => {
  const version = /^etcd Version: (\d+)\.(\d+)\.(\d+)/m.exec(printed)?.slice(1).map(Number)
  if (version === undefined) return "etcd is not on the path (Debian: etcd-server)"
  return isSupported(version)
    ? undefined
    : `etcd ${version.join(".")} is on the path, and ${FIRST_SUPPORTED.join(".")} or later is supported`
}

/** Why tests of a real etcd are skipped; undefined if there is one on the path. */
export const noEtcd: string | undefined = etcdFault(
  spawnSync("etcd", ["--version"], { encoding: "utf8" }).stdout?.toString() ?? ""
)

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

/** Waits until a port accepts connections. */
const listening = (url: string): Effect.Effect<void> =>
  Effect.callback<void, unknown>((resume) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.on("connect", () => {
      socket.destroy()
      resume(Effect.void)
    })
    socket.on("error", (error) => resume(Effect.fail(error)))
  }).pipe(Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 400 }), Effect.orDie)

/** A member of an etcd on loopback. */
export interface MemberOptions {
  readonly name: string
  /** The folder of its data. */
  readonly folder: string
  /** Where clients and other members reach it. */
  readonly clientUrl: string
  readonly peerUrl: string
  /** All members, as `name=peer URL`; by default this one alone. */
  readonly cluster?: ReadonlyArray<string>
}

/** Whether all threads of a process stand still; where that cannot be seen, they are taken to. */
const isStopped = (pid: number): boolean => {
  const tasks = `/proc/${pid}/task`
  try {
    return readdirSync(tasks).every((task) => / T /.test(readFileSync(join(tasks, task, "stat"), "utf8")))
  } catch {
    return true
  }
}

/** Returns the arguments of `etcd` for a member, which prints errors only. */
export const memberArgs = ({ clientUrl, cluster, folder, name, peerUrl }: MemberOptions): ReadonlyArray<string> =>
  Object.entries({
    name,
    "data-dir": folder,
    "log-level": "fatal",
    "listen-client-urls": clientUrl,
    "advertise-client-urls": clientUrl,
    "listen-peer-urls": peerUrl,
    "initial-advertise-peer-urls": peerUrl,
    "initial-cluster": (cluster ?? [`${name}=${peerUrl}`]).join(",")
  }).flatMap(([flag, value]) => [`--${flag}`, value])

export interface TestEtcd {
  readonly url: string
  /** Kills the process. */
  readonly kill: Effect.Effect<void>
  /** Stops it without ending it, as a member that hangs, until `thaw`. */
  readonly freeze: Effect.Effect<void>
  readonly thaw: Effect.Effect<void>
  /** Starts it again, with its data. */
  readonly start: Effect.Effect<void>
}

/** Starts an etcd of one member, in a folder of its own that is removed with the scope. `tls` are its flags for TLS. */
export const startEtcd = Effect.fnUntraced(function* (tls: ReadonlyArray<string> = []) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "etcd-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const url = `${tls.length === 0 ? "http" : "https"}://127.0.0.1:${yield* Effect.promise(freePort)}`
  const peerUrl = `http://127.0.0.1:${yield* Effect.promise(freePort)}`
  const args = [...memberArgs({ name: "one", folder, clientUrl: url, peerUrl }), "--unsafe-no-fsync", ...tls]
  const launch = () => spawn("etcd", args, { stdio: "ignore" })
  let child = launch()
  const kill = Effect.promise(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill("SIGKILL")
    await once(child, "exit")
  })
  yield* Effect.addFinalizer(() => kill)
  yield* listening(url)
  const start = Effect.suspend(() => {
    child = launch()
    return listening(url)
  })
  const thaw = Effect.sync(() => void child.kill("SIGCONT"))
  // A process still answers for a moment after the signal.
  const frozen = Effect.sync(() => isStopped(child.pid ?? 0)).pipe(
    Effect.repeat({ schedule: Schedule.spaced("10 millis"), until: (stopped) => stopped })
  )
  const freeze = Effect.andThen(
    Effect.sync(() => child.kill("SIGSTOP")),
    Effect.asVoid(frozen)
  )
  return { url, kill, start, freeze, thaw } satisfies TestEtcd
})
