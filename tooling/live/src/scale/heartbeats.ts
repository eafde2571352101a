import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { assertThat } from "../kill/Ledger.ts"
import { listOf } from "../process/listOf.ts"
import { residentMiB } from "../process/processMemory.ts"
import { configOf, connectionTo, freePort, startRollcall, temporaryFolder } from "../process/rollcall.ts"
import { startMembers } from "../several/etcdMembers.ts"
import { countEvents } from "./EventCounts.ts"

const NODES = 5000
const SAMPLE_SECONDS = 30
/** How many nodes a failure names. */
const NAMED = 20
/** Samples to skip until each kubelet has posted its status and the engine has compiled hot code. */
const WARM_UP_SAMPLES = 4

class HeartbeatsMissed extends Schema.TaggedError<HeartbeatsMissed>()("HeartbeatsMissed", {
  notReady: Schema.Array(Schema.String),
  behind: Schema.Array(Schema.String),
  ended: Schema.Array(Schema.String)
}) {}

/** Where a cluster is kept: in a folder, or in one member of etcd beside it. */
export type Keeping = "folder" | "etcd"

const storeFlags = Effect.fnUntraced(function* (keeping: Keeping, folder: string) {
  if (keeping === "folder") return []
  const { urls } = yield* startMembers(1, folder)
  return ["--etcd-servers", urls.join(",")]
})

/**
 * Runs thousands of nodes with heartbeats only, each every 10 s, for some minutes: none may become NotReady, no event
 * may be missed by a watch, and memory must not grow.
 */
export const heartbeats = Effect.fnUntraced(function* (minutes: number, keeping: Keeping, nodes: number = NODES) {
  const folder = yield* temporaryFolder
  const port = yield* freePort
  const args = ["--nodes", String(nodes), "--zones", "5", "--port", String(port), "--data-dir", folder]
  const up = yield* startRollcall("up", ...args, ...(yield* storeFlags(keeping, folder)))
  const [, seconds] = yield* up.waitForOutput(/Ready after ([\d.]+) s/, 300_000)
  yield* Console.log(`${nodes} nodes Ready after ${seconds} s`)
  const connection = yield* connectionTo(yield* configOf(`${folder}/admin.conf`), { requestTimeoutMs: 60_000 })
  const { revision: from } = yield* listOf(connection, "Lease")
  const counts = countEvents(connection, from)
  const samples: Array<number> = []
  for (let sample = 1; sample <= (minutes * 60) / SAMPLE_SECONDS; sample++) {
    yield* Effect.sleep(SAMPLE_SECONDS * 1000)
    assertThat(!up.hasEnded(), () => up.stderr())
    samples.push(residentMiB(up.pid))
    yield* Console.log(
      `${String(sample * SAMPLE_SECONDS).padStart(4)} s  ${Math.round(samples.at(-1) ?? 0)} MiB  ${counts.renewals()} renewals, ` +
        `longest pause ${(counts.longestGapMs() / 1000).toFixed(1)} s, ${counts.notReady.length} NotReady`
    )
  }
  // A list checks the watches: every revision up to it must have been delivered, and each Lease must match.
  const { items, revision: until } = yield* listOf(connection, "Lease")
  yield* Effect.sleep(2000)
  const behind = items.filter(
    ({ metadata }) =>
      (counts.leases.get(`${metadata.namespace}/${metadata.name}`) ?? 0) < Number(metadata.resourceVersion)
  )
  const delivered = counts.revisions() - (counts.newest() - until)
  counts.stop()
  const warm = samples.slice(Math.min(WARM_UP_SAMPLES, samples.length - 1))
  yield* Console.log(
    [
      `false NotReady: ${counts.notReady.length}${counts.notReady.slice(0, 3).join(", ")}`,
      `renewals: ${counts.renewals()}, ${(counts.renewals() / (minutes * 60)).toFixed(0)}/s; gaps over 15 s: ${counts.lateRenewals()}`,
      `revisions: ${until - from} made, ${delivered} delivered by watches; Leases that are newer in the list: ${behind.length}; watches ended: ${counts.ended.length}${counts.ended.join(", ")}`,
      `memory after warm-up: ${Math.round(Math.min(...warm))} to ${Math.round(Math.max(...warm))} MiB, last ${Math.round(warm.at(-1) ?? 0)} MiB`
    ].join("\n")
  )
  if (counts.notReady.length + behind.length + counts.ended.length > 0)
    return yield* new HeartbeatsMissed({
      notReady: counts.notReady.slice(0, NAMED),
      behind: behind.slice(0, NAMED).map(({ metadata }) => metadata.name ?? ""),
      ended: [...counts.ended]
    })
}, Effect.scoped)
