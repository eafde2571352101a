import type { Connection } from "@rollcall/cluster"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { eventually } from "../process/eventually.ts"
import { temporaryFolder } from "../process/rollcall.ts"
import { startMembers } from "./etcdMembers.ts"
import { linearizationFault, type Operation } from "./linearizable.ts"
import { createRegister, type Delivered, INITIAL, readRegister, swapOnce, watchRegisters } from "./registers.ts"
import { startServers } from "./startServers.ts"

const MEMBERS = 3
const REGISTERS = 4
const CLIENTS = 8
/** How long clients write between two kills, and how long a member is gone. */
const LIFE_MS = 1500
const GONE_MS = 1000

export interface SeveralReport {
  readonly kills: number
  readonly operations: number
  readonly acknowledged: number
  readonly unknown: number
  readonly watchEvents: number
  readonly resumed: number
  /** What contradicts one order of all operations, or a watch that delivers each change once. */
  readonly faults: ReadonlyArray<string>
}

const nameOf = (register: number) => `register-${register}`

const swapsOf = (history: ReadonlyArray<Operation>, told: string) =>
  history.flatMap(({ did }) => (did.type === "swap" && did.told === told ? [did] : []))

/** Returns what a watch of a register missed, repeated or made up, by the swaps that clients asked for. */
export const watchFaults = (
  history: ReadonlyArray<Operation>,
  { events, gone }: Omit<Delivered, "resumed">,
  name: string
) => {
  const faults = gone === undefined ? [] : [`${name}: the watch could not go on: ${gone}`]
  const fromOf = new Map(history.flatMap(({ did }) => (did.type === "swap" ? [[did.to, did.from] as const] : [])))
  const seen = events.filter((event) => event.name === name)
  let [value, last] = [INITIAL, 0]
  for (const event of seen) {
    if (event.revision <= last) faults.push(`${name}: revision ${event.revision} after ${last}`)
    if (fromOf.get(event.value) !== value) faults.push(`${name}: ${event.value} after ${value}, a change was missed`)
    ;[value, last] = [event.value, event.revision]
  }
  const values = new Set(seen.map((event) => event.value))
  for (const { to } of swapsOf(history, "swapped")) {
    if (!values.has(to)) faults.push(`${name}: the watch has not delivered ${to}`)
  }
  return faults
}

/**
 * Eight clients compare and swap four registers through two API servers over three members of etcd, while these are killed
 * in turn. All answers must fit one order, and each of two watches, which go from server to server, must deliver each change
 * once.
 */
export const severalServers = Effect.fnUntraced(function* (kills: number, onKill: (kill: number) => void = () => {}) {
  const timers = yield* Timers
  const folder = yield* temporaryFolder
  const members = yield* startMembers(MEMBERS, folder)
  const { connect, restart } = yield* startServers(folder, members.urls)
  const connections = yield* Effect.all([connect(0), connect(1)])
  const histories = new Map<string, Array<Operation>>()
  let after = 0
  for (let register = 0; register < REGISTERS; register++) {
    const made = yield* createRegister(connections[0], nameOf(register))
    after = Number(made.metadata.resourceVersion)
    histories.set(nameOf(register), [])
  }
  /** Each watch goes on at the other server whenever its own is gone. */
  const watches = connections.map((_, first) => {
    let turn = first
    return watchRegisters(() => connections[turn++ % 2] as Connection, timers, after)
  })
  let isOver = false
  const client = Effect.fnUntraced(function* (number: number) {
    for (let turn = 0; !isOver; turn++) {
      const name = nameOf((number + turn) % REGISTERS)
      const connection = connections[(number + (turn >> 2)) % 2] as Connection
      yield* swapOnce(connection, timers, name, `${number}-${turn}`, histories.get(name) as Array<Operation>)
      yield* Effect.sleep(5)
    }
  })
  const clients = yield* Effect.forEach(
    Array.from({ length: CLIENTS }, (_, index) => index),
    (index) => Effect.forkScoped(client(index))
  )
  for (let kill = 0; kill < kills; kill++) {
    yield* Effect.sleep(LIFE_MS)
    if (kill % 2 === 0) yield* restart(((kill >> 1) % 2) as 0 | 1)
    else {
      const member = (kill >> 1) % MEMBERS
      yield* members.kill(member)
      yield* Effect.sleep(GONE_MS)
      yield* members.start(member)
    }
    onKill(kill + 1)
  }
  yield* Effect.sleep(LIFE_MS)
  isOver = true
  yield* Effect.forEach(clients, Fiber.join)
  yield* Effect.sleep(LIFE_MS)
  return yield* reportOf(kills, connections, histories, watches)
})

const reportOf = Effect.fnUntraced(function* (
  kills: number,
  connections: ReadonlyArray<Connection>,
  histories: ReadonlyMap<string, Array<Operation>>,
  watches: ReadonlyArray<ReturnType<typeof watchRegisters>>
) {
  const { now } = yield* Timers
  const faults: Array<string> = []
  for (const [name, history] of histories) {
    for (const connection of connections) {
      const beganMs = now()
      const found = yield* eventually(name, readRegister(connection, name), (read) => typeof read !== "number")
      const value = typeof found === "number" ? "" : (found.data?.value ?? "")
      history.push({ beganMs, endedMs: now(), did: { type: "read", value } })
    }
    const stuck = linearizationFault(history, INITIAL)
    if (stuck !== undefined) faults.push(`${name}: none of these can come next: ${JSON.stringify(stuck)}`)
    for (const { delivered } of watches) faults.push(...watchFaults(history, delivered, name))
  }
  for (const { stop } of watches) stop()
  const all = [...histories.values()].flat()
  const report: SeveralReport = {
    kills,
    operations: all.length,
    acknowledged: swapsOf(all, "swapped").length,
    unknown: swapsOf(all, "unknown").length,
    watchEvents: watches.reduce((sum, { delivered }) => sum + delivered.events.length, 0),
    resumed: watches.reduce((sum, { delivered }) => sum + delivered.resumed, 0),
    faults
  }
  return report
})
