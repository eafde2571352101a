import { join } from "node:path"
import * as Effect from "effect/Effect"
import { eventually } from "../process/eventually.ts"
import { run } from "../process/Program.ts"
import { freePort, startRollcallUnder, TOOL, temporaryFolder } from "../process/rollcall.ts"
import { type FakeClock, fakeClock } from "./fakeClock.ts"

const NODES = 4
const READY = /Ready/g
/** Longer than the grace period of a silent node (50 s) and the tolerations of the test's pods (the demo's own have the default 300 s). */
const SETTLE_MS = 70_000
const START_TIMEOUT_MS = 60_000

/** The observations of one clock jump. */
export interface JumpReport {
  /** By how many days the clock jumped; negative: back. */
  readonly days: number
  readonly when: "running" | "restart"
  /** Each observation as text, and whether it is as expected. */
  readonly findings: ReadonlyArray<readonly [observation: string, holds: boolean]>
}

interface Cluster {
  readonly clock: FakeClock
  readonly folder: string
}

/** Runs a `rollcall` command with the cluster's clock. */
const runTool = ({ clock, folder }: Cluster, ...args: ReadonlyArray<string>) =>
  run(
    "env",
    ...Object.entries(clock.environment).map((entry) => entry.join("=")),
    process.execPath,
    TOOL,
    ...args,
    "--kubeconfig",
    join(folder, "data", "admin.conf")
  )

const names = (cluster: Cluster, kind: string) =>
  Effect.map(runTool(cluster, "get", kind, "-A", "-o", "name"), ({ code, stderr, stdout }) =>
    code === 0 ? stdout.trim().split("\n").sort() : [`${code}: ${stderr.trim()}`]
  )

const readyNodes = (cluster: Cluster) =>
  Effect.map(
    runTool(cluster, "get", "nodes"),
    ({ stdout }) => stdout.replaceAll("NotReady", "").match(READY)?.length ?? 0
  )

const startCluster = Effect.fnUntraced(function* ({ clock, folder }: Cluster) {
  const port = yield* freePort
  const up = yield* startRollcallUnder(
    clock.environment,
    ...[
      "up",
      "--nodes",
      String(NODES),
      "--zones",
      "2",
      "--demo",
      "--port",
      String(port),
      "--data-dir",
      join(folder, "data")
    ]
  )
  yield* up.waitForOutput(/nodes are Ready/, START_TIMEOUT_MS)
  return up
})

const sameSet = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): boolean =>
  left.length === right.length && left.every((name, at) => name === right[at])

/** Observes nodes, pods and writes after the clock was set. */
const observeCluster = Effect.fnUntraced(function* (cluster: Cluster, pods: ReadonlyArray<string>, mark: string) {
  const after = yield* names(cluster, "pods")
  const ready = yield* readyNodes(cluster)
  const written = yield* runTool(cluster, "label", "namespace", "default", `clock=${mark}`, "--overwrite")
  return [
    [`${ready} of ${NODES} nodes Ready`, ready === NODES],
    [`the same ${pods.length} pods${sameSet(pods, after) ? "" : `, not ${after.join(" ")}`}`, sameSet(pods, after)],
    [`a write: ${written.code === 0 ? "taken" : written.stderr.trim()}`, written.code === 0]
  ] as const
})

/** Lets the clock of a running cluster jump by some days and back; then the same across a restart. */
export const clockJumps = Effect.fnUntraced(function* (
  library: string,
  days: ReadonlyArray<number>,
  onReport: (report: JumpReport) => void
) {
  for (const jump of days) {
    const folder = yield* temporaryFolder
    const cluster: Cluster = { clock: fakeClock(library, folder), folder }
    yield* Effect.scoped(
      Effect.gen(function* () {
        const up = yield* startCluster(cluster)
        const pods = yield* eventually("pods of the demo", names(cluster, "pods"), (all) => all.length > NODES)
        yield* Effect.sleep(5000)
        const settled = yield* names(cluster, "pods")
        cluster.clock.set(jump)
        yield* Effect.sleep(SETTLE_MS)
        onReport({ days: jump, when: "running", findings: yield* observeCluster(cluster, settled, `running${jump}`) })
        cluster.clock.set(0)
        yield* Effect.sleep(SETTLE_MS)
        onReport({ days: -jump, when: "running", findings: yield* observeCluster(cluster, settled, `back${jump}`) })
        up.send("SIGKILL")
        yield* up.ended
        return pods
      })
    )
    cluster.clock.set(jump)
    yield* Effect.scoped(
      Effect.gen(function* () {
        const up = yield* startCluster(cluster)
        yield* Effect.sleep(5000)
        const settled = yield* names(cluster, "pods")
        yield* Effect.sleep(SETTLE_MS)
        onReport({ days: jump, when: "restart", findings: yield* observeCluster(cluster, settled, `restart${jump}`) })
        up.send("SIGTERM")
        yield* up.ended
      })
    )
  }
})
