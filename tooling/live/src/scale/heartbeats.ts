import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { must } from "../kill/Ledger.ts"
import { listOf } from "../process/listOf.ts"
import { residentMiB } from "../process/processMemory.ts"
import { configOf, connectionTo, freePort, startRollcall, temporaryFolder } from "../process/rollcall.ts"
import { callRoll } from "./Roll.ts"

const NODES = 5000
const SAMPLE_SECONDS = 30
/** Until each kubelet has posted its status and the engine has compiled what is hot. */
const WARM_UP_SAMPLES = 4

/**
 * Thousands of nodes that only answer the roll call, each every 10 s, for some minutes: none may be taken for NotReady, no event
 * may be missed by a watcher, and memory must not grow.
 */
export const heartbeats = Effect.fnUntraced(function* (minutes: number, nodes: number = NODES) {
  const folder = yield* temporaryFolder
  const port = yield* freePort
  const args = ["--nodes", String(nodes), "--zones", "5", "--port", String(port), "--data-dir", folder]
  const up = yield* startRollcall("up", ...args)
  const [, seconds] = yield* up.says(/Ready after ([\d.]+) s/, 300_000)
  yield* Console.log(`${nodes} nodes Ready after ${seconds} s`)
  const connection = yield* connectionTo(yield* configOf(`${folder}/admin.conf`), { requestTimeoutMs: 60_000 })
  const { revision: from } = yield* listOf(connection, "Lease")
  const roll = callRoll(connection, from)
  const samples: Array<number> = []
  for (let sample = 1; sample <= (minutes * 60) / SAMPLE_SECONDS; sample++) {
    yield* Effect.sleep(SAMPLE_SECONDS * 1000)
    must(!up.hasEnded(), () => up.stderr())
    samples.push(residentMiB(up.pid))
    yield* Console.log(
      `${String(sample * SAMPLE_SECONDS).padStart(4)} s  ${Math.round(samples.at(-1) ?? 0)} MiB  ${roll.renewals()} renewals, ` +
        `longest pause ${(roll.longestGapMs() / 1000).toFixed(1)} s, ${roll.notReady.length} NotReady`
    )
  }
  // A list is the second opinion: every revision up to it must have been told, and each Lease as it stands there.
  const { items, revision: until } = yield* listOf(connection, "Lease")
  yield* Effect.sleep(2000)
  const behind = items.filter(
    ({ metadata }) =>
      (roll.leases.get(`${metadata.namespace}/${metadata.name}`) ?? 0) < Number(metadata.resourceVersion)
  )
  const told = roll.revisions() - (roll.newest() - until)
  roll.stop()
  const warm = samples.slice(Math.min(WARM_UP_SAMPLES, samples.length - 1))
  yield* Console.log(
    [
      `false NotReady: ${roll.notReady.length}${roll.notReady.slice(0, 3).join(", ")}`,
      `renewals told: ${roll.renewals()}, ${(roll.renewals() / (minutes * 60)).toFixed(0)}/s; pauses over 15 s: ${roll.lateRenewals()}`,
      `revisions: ${until - from} made, ${told} told by watches; Leases that the list has newer: ${behind.length}; watches ended: ${roll.ended.length}${roll.ended.join(", ")}`,
      `memory after warm-up: ${Math.round(Math.min(...warm))} to ${Math.round(Math.max(...warm))} MiB, last ${Math.round(warm.at(-1) ?? 0)} MiB`
    ].join("\n")
  )
}, Effect.scoped)
