import { cpSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { rawOf } from "@rollcall/kube-client"
import * as Effect from "effect/Effect"
import {
  becomesReady,
  configOf,
  connectionTo,
  freePort,
  readyServer,
  startServer,
  temporaryFolder
} from "../process/rollcall.ts"
import { copyStore, type Damage } from "./damages.ts"

const WRITES = 200
const CONCURRENT_WRITES = 8
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
const ACCEPT = "--accept-data-loss"
const MAX_MESSAGE_LENGTH = 1200

/** The messages and the objects of a server after its store was damaged. */
export interface DamageReport {
  readonly name: string
  readonly acknowledged: number
  /** The number of acknowledged objects that the restarted server does not have. Undefined if it did not start. */
  readonly missing: number | undefined
  /** Its message if it did not start. */
  readonly message: string
  /**
   * The number of missing objects after a start that accepts the loss. Undefined if there was none or it failed as
   * well.
   */
  readonly missingAccepted: number | undefined
  /** Whether the server reported any loss by not starting, and started if there was none. */
  readonly isRight: boolean
}

const nameOf = (index: number): string => `acknowledged-${index}`

/** Writes `count` objects and returns the acknowledged ones. */
const write = Effect.fnUntraced(function* (kubeconfig: string, from: number, count: number) {
  const raw = rawOf(yield* connectionTo(yield* configOf(kubeconfig)))
  const names: Array<string> = []
  yield* Effect.forEach(
    Array.from({ length: count }, (_, index) => nameOf(from + index)),
    (name) => {
      const body = JSON.stringify({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name },
        data: { x: "y".repeat(2000) }
      })
      const headers = { "content-type": "application/json" }
      return Effect.map(Effect.orDie(raw({ method: "POST", path: CONFIG_MAPS, headers, body })), ({ code }) => {
        if (code === 201) names.push(name)
      })
    },
    { concurrency: CONCURRENT_WRITES, discard: true }
  )
  return names
}, Effect.scoped)

/** Starts a server, writes to it, and kills it. */
const writeAndKill = (folder: string, from: number) =>
  Effect.gen(function* () {
    const { kubeconfig, program } = yield* readyServer({ folder, port: yield* freePort })
    const names = yield* write(kubeconfig, from, WRITES / 2)
    program.send("SIGKILL")
    yield* program.ended
    return names
  }).pipe(Effect.scoped)

/** A restarted server: its objects, or undefined if it did not start; and its output. */
interface Restart {
  readonly present: ReadonlySet<string> | undefined
  readonly message: string
}

const restart = (folder: string, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const port = yield* freePort
    const { kubeconfig, program } = yield* startServer({ folder, port, args })
    if (!(yield* becomesReady(port, program.hasEnded))) {
      return { present: undefined, message: program.stderr().trim() } satisfies Restart
    }
    const raw = rawOf(yield* connectionTo(yield* configOf(kubeconfig)))
    const { body } = yield* Effect.orDie(raw({ method: "GET", path: CONFIG_MAPS }))
    const { items } = JSON.parse(body) as {
      readonly items: ReadonlyArray<{ readonly metadata: { readonly name: string } }>
    }
    return { present: new Set(items.map(({ metadata }) => metadata.name)), message: program.stderr() } satisfies Restart
  }).pipe(Effect.scoped)

const missingOf = (names: ReadonlyArray<string>, { present }: Restart): number | undefined =>
  present === undefined ? undefined : names.filter((name) => !present.has(name)).length

const damageAndRestart = Effect.fnUntraced(function* (
  damage: Damage,
  folder: string,
  earlier: string,
  names: ReadonlyArray<string>
) {
  damage.apply(folder, earlier)
  const plain = yield* restart(folder, [])
  const missing = missingOf(names, plain)
  const withLossAccepted = missing === undefined ? yield* restart(folder, [ACCEPT]) : undefined
  const report: DamageReport = {
    name: damage.name,
    acknowledged: names.length,
    missing,
    message: missing === undefined ? plain.message.slice(-MAX_MESSAGE_LENGTH) : "",
    missingAccepted: withLossAccepted === undefined ? undefined : missingOf(names, withLossAccepted),
    isRight: damage.isHarmless === true ? missing === 0 : missing === undefined || missing === 0
  }
  return report
})

/** Applies each damage to a separate store, all of whose writes were acknowledged before its server was killed. */
export const damagedStores = Effect.fnUntraced(function* (
  chosen: ReadonlyArray<Damage>,
  onReport: (report: DamageReport) => void
) {
  const root = yield* temporaryFolder
  const [original, earlier] = [join(root, "original"), join(root, "earlier")]
  mkdirSync(earlier)
  const first = yield* writeAndKill(original, 0)
  copyStore(original, earlier)
  const second = yield* writeAndKill(original, WRITES / 2)
  const reports: Array<DamageReport> = []
  for (const [index, damage] of chosen.entries()) {
    const folder = join(root, String(index))
    cpSync(original, folder, { recursive: true, mode: 0 })
    const report = yield* damageAndRestart(damage, folder, earlier, [...first, ...second])
    reports.push(report)
    onReport(report)
  }
  return reports
}, Effect.scoped)
