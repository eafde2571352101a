import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { attacks } from "./attacks.ts"
import { type AttackedServer, type Damage, faultsOf, runAttack, startAttackedServer } from "./runAttack.ts"

export interface AttackOptions {
  /** The number of nodes whose Leases must be renewed throughout. */
  readonly nodes: number
  /** 1: in full. */
  readonly scale: number
  /** Runs only attacks whose name starts with one of these; empty: all. */
  /** How long to wait before the first attack on a fresh server; default: until all nodes have renewed their Leases. */
  readonly settleMs?: number
  readonly only: ReadonlyArray<string>
  readonly tell: (damage: Damage, number: number, count: number) => void
}

interface Held {
  readonly range: AttackedServer
  readonly scope: Scope.Closeable
}

/** Runs the attacks in order against one server; replaces a server that crashed or hung by a fresh one. */
export const attackAll = Effect.fnUntraced(function* ({ nodes, only, scale, settleMs, tell }: AttackOptions) {
  const chosen = attacks.filter(({ name }) => only.length === 0 || only.some((prefix) => name.startsWith(prefix)))
  const damages: Array<Damage> = []
  let held: Held | undefined
  const release = Effect.suspend(() => {
    const gone = held
    held = undefined
    return gone === undefined ? Effect.void : Scope.close(gone.scope, Exit.void)
  })
  const hold = Effect.gen(function* () {
    if (held !== undefined) return held.range
    const scope = yield* Scope.make()
    const range = yield* startAttackedServer(nodes, settleMs).pipe(Effect.provideService(Scope.Scope, scope))
    held = { range, scope }
    return range
  })
  yield* Effect.addFinalizer(() => release)
  for (const [index, attack] of chosen.entries()) {
    const range = yield* hold
    const damage = yield* runAttack(range, attack, scale)
    damages.push(damage)
    tell(damage, index + 1, chosen.length)
    if (!damage.survived || faultsOf(damage).length > 0) yield* release
  }
  return damages
}, Effect.scoped)

const mebibytes = (value: number): string => `${Math.round(value)} MiB`

/** Formats the damage of an attack as one line. */
export const lineOf = (damage: Damage): string => {
  const { endMiB, name, observation, peakMiB, seen, startMiB } = damage
  const faults = faultsOf(damage)
  const { longestStallMs, renewals, slowestRenewalMs } = observation
  return [
    faults.length === 0 ? "held" : "FELL",
    name.padEnd(32),
    `stall ${String(Math.round(longestStallMs)).padStart(6)} ms`,
    `memory ${mebibytes(startMiB)} → ${mebibytes(peakMiB)} → ${mebibytes(endMiB)}`,
    `${renewals} renewals, slowest ${Math.round(slowestRenewalMs)} ms`,
    faults.length === 0 ? seen : faults.join("; ")
  ].join("  ")
}
