import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { attacks } from "./attacks.ts"
import { type AttackedServer, type Damage, faultsOf, runAttack, startAttackedServer } from "./runAttack.ts"

export interface AttackOptions {
  /** The number of nodes whose Leases must be renewed throughout. */
  readonly nodes: number
  /** 1 for full attacks, less for shorter ones. */
  readonly scale: number
  /**
   * The milliseconds before the first attack on a new server. By default, the time in which all nodes renew their
   * Leases.
   */
  readonly settleMs?: number
  /** Prefixes of names: only attacks that start with one of them are run. All are run if the list is empty. */
  readonly only: ReadonlyArray<string>
  /** Called after each attack, with its number from 1 and the number of all attacks. */
  readonly onDamage: (damage: Damage, number: number, count: number) => void
}

interface RunningServer {
  readonly attacked: AttackedServer
  readonly scope: Scope.Closeable
}

/** Runs the attacks in order against one server; replaces a server that crashed or hung by a fresh one. */
export const attackAll = Effect.fnUntraced(function* ({ nodes, only, scale, settleMs, onDamage }: AttackOptions) {
  const chosen = attacks.filter(({ name }) => only.length === 0 || only.some((prefix) => name.startsWith(prefix)))
  const damages: Array<Damage> = []
  let running: RunningServer | undefined
  const stopServer = Effect.suspend(() => {
    const stopping = running
    running = undefined
    return stopping === undefined ? Effect.void : Scope.close(stopping.scope, Exit.void)
  })
  const startIfNeeded = Effect.gen(function* () {
    if (running !== undefined) return running.attacked
    const scope = yield* Scope.make()
    const attacked = yield* startAttackedServer(nodes, settleMs).pipe(Effect.provideService(Scope.Scope, scope))
    running = { attacked, scope }
    return attacked
  })
  yield* Effect.addFinalizer(() => stopServer)
  for (const [index, attack] of chosen.entries()) {
    const attacked = yield* startIfNeeded
    const damage = yield* runAttack(attacked, attack, scale)
    damages.push(damage)
    onDamage(damage, index + 1, chosen.length)
    if (!damage.survived || faultsOf(damage).length > 0) yield* stopServer
  }
  return damages
}, Effect.scoped)

const mebibytes = (value: number): string => `${Math.round(value)} MiB`

/** Formats the damage of an attack as one line. */
export const attackLine = (damage: Damage): string => {
  const { endMiB, name, observation, peakMiB, finding, startMiB } = damage
  const faults = faultsOf(damage)
  const { longestStallMs, renewals, slowestRenewalMs } = observation
  return [
    faults.length === 0 ? "held" : "FELL",
    name.padEnd(32),
    `stall ${String(Math.round(longestStallMs)).padStart(6)} ms`,
    `memory ${mebibytes(startMiB)} → ${mebibytes(peakMiB)} → ${mebibytes(endMiB)}`,
    `${renewals} renewals, slowest ${Math.round(slowestRenewalMs)} ms`,
    faults.length === 0 ? finding : faults.join("; ")
  ].join("  ")
}
