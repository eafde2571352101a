import { type KubeObject, sortedEntries } from "@rollcall/api"
import type { Connection } from "@rollcall/cluster"
import { rngOf } from "@rollcall/time"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import { listOf } from "../process/listOf.ts"
import {
  becomesReady,
  configOf,
  connectionTo,
  freePort,
  type StartedServer,
  startServer,
  temporaryFolder
} from "../process/rollcall.ts"
import { assertThat, type Ledger, makeLedger, type State, stateOf } from "./Ledger.ts"
import { keyOf, type LoadKind, loadKinds, loadNamespace, startWriter } from "./load.ts"
import { makeReplica, type Replica } from "./Replica.ts"

export interface KillReport {
  readonly rounds: number
  /** The number of kills that hit a starting server. */
  readonly whileStarting: number
  readonly acknowledged: number
  readonly watchEvents: number
  /** The number of watches that got 410 Gone and listed again. */
  readonly relists: number
  /** From exec to `/readyz`, after a kill. */
  readonly startMs: ReadonlyArray<number>
}

const WRITERS = 24
/** The longest time before a server is killed in a round. */
const MAX_LIFE_MS = 1200
/** The longest time before a starting server is killed. */
const MAX_START_MS = 900
const CATCH_UP_TIMEOUT_MS = 10_000

/** Creates the service account that pods need, because no controller runs here. */
export const createServiceAccount = (connection: Connection): Effect.Effect<void> => {
  const metadata = { name: "default", namespace: loadNamespace }
  const object = { apiVersion: "v1", kind: "ServiceAccount", metadata }
  return Effect.callback((resume) => {
    const cancel = connection.send(
      { verb: "create", kind: "ServiceAccount", namespace: loadNamespace, object },
      (answer) => resume(Result.isSuccess(answer) ? Effect.void : Effect.die(answer.failure))
    )
    return Effect.sync(cancel)
  })
}

const statesOf = (kind: LoadKind, items: ReadonlyArray<KubeObject>): ReadonlyMap<string, State> =>
  new Map(items.map((item) => [keyOf(kind, item.metadata.name ?? ""), stateOf(item)]))

const textOf = (states: ReadonlyMap<string, State>): string => JSON.stringify(sortedEntries(states))

/** Waits until a replica has reached the revision of a list, and compares the two. Returns whether it had to list again. */
const checkReplica = Effect.fnUntraced(function* (connection: Connection, ledger: Ledger, replica: Replica) {
  const deadline = (yield* Clock.currentTimeMillis) + CATCH_UP_TIMEOUT_MS
  const { items, revision } = yield* listOf(connection, replica.kind)
  const present = statesOf(replica.kind, items)
  while (!replica.isGone() && replica.problem() === undefined && textOf(replica.state) !== textOf(present)) {
    const isLate = (yield* Clock.currentTimeMillis) > deadline
    assertThat(!isLate, () => `${replica.kind}: watched ${textOf(replica.state)}\nlisted ${textOf(present)}`)
    yield* Effect.sleep(5)
  }
  assertThat(replica.problem() === undefined, () => replica.problem() ?? "")
  if (!replica.isGone()) {
    while (ledger.undelivered(replica.kind, revision).length > 0) {
      const isLate = (yield* Clock.currentTimeMillis) > deadline
      assertThat(
        !isLate,
        () => `no watch delivered ${ledger.undelivered(replica.kind, revision).slice(0, 5).join(", ")}`
      )
      yield* Effect.sleep(5)
    }
    return false
  }
  replica.reset(items, revision)
  replica.follow(connection)
  return true
})

/** Compares the server's objects with its acknowledged writes and its watches. Returns the number of watches that had to list again. */
const checkAfterRestart = Effect.fnUntraced(function* (
  connection: Connection,
  ledger: Ledger,
  replicas: ReadonlyArray<Replica>
) {
  const present = new Map<string, State>()
  for (const kind of loadKinds) {
    for (const [key, state] of statesOf(kind, (yield* listOf(connection, kind)).items)) present.set(key, state)
  }
  ledger.settle(present)
  for (const replica of replicas) replica.follow(connection)
  let relists = 0
  for (const replica of replicas) if (yield* checkReplica(connection, ledger, replica)) relists++
  return relists
})

/** Writes and watches for some time or until the server is gone, then kills the server. */
const writeUntilKilled = Effect.fnUntraced(function* (
  server: StartedServer,
  connection: Connection,
  ledger: Ledger,
  lifeMs: number,
  serverStart: number
) {
  const gone = yield* Deferred.make<void>()
  const unexpectedResponses: Array<string> = []
  const stops: Array<() => void> = []
  for (let writer = 0; writer < WRITERS; writer++) {
    const chance = rngOf(yield* Random.nextInt)
    stops.push(
      startWriter({
        connection,
        ledger,
        chance,
        writer,
        serverStart,
        onServerGone: () => Deferred.doneUnsafe(gone, Effect.void),
        onUnexpectedResponse: (message) => unexpectedResponses.push(message)
      })
    )
  }
  yield* Effect.race(Deferred.await(gone), Effect.sleep(lifeMs))
  assertThat(!server.program.hasEnded(), () => `the server ended by itself:\n${server.program.stderr()}`)
  server.program.send("SIGKILL")
  yield* server.program.ended
  // Responses in flight may still arrive; the outcome of the other writes is unknown.
  yield* Effect.race(Deferred.await(gone), Effect.sleep(1000))
  // The responses of the writers' other connections arrive shortly after the first error.
  yield* Effect.sleep(20)
  for (const stop of stops) stop()
  assertThat(unexpectedResponses.length === 0, () => unexpectedResponses.slice(0, 3).join("\n"))
})

/**
 * Kills an API server repeatedly at random times under a mixed load over HTTPS, and checks after each restart that no
 * acknowledged write is lost, that no revision is used twice, and that watches resume or get 410 Gone.
 */
export const killRounds = Effect.fnUntraced(function* (
  rounds: number,
  onRound: (round: number) => void = () => undefined
) {
  const folder = yield* temporaryFolder
  const port = yield* freePort
  const ledger = makeLedger()
  const replicas = loadKinds.map((kind) => makeReplica(kind, ledger))
  const report = { rounds, whileStarting: 0, relists: 0 }
  const startMs: Array<number> = []
  for (let round = 0; round <= rounds; round++) {
    yield* Effect.scoped(
      Effect.gen(function* () {
        let server = yield* startServer({ folder, port })
        // The first start creates the server's keys; later servers are sometimes killed before they are ready.
        if (round > 0 && (yield* Random.nextIntBetween(0, 4)) === 0) {
          yield* Effect.sleep(yield* Random.nextIntBetween(0, MAX_START_MS))
          server.program.send("SIGKILL")
          yield* server.program.ended
          report.whileStarting++
          server = yield* startServer({ folder, port })
        }
        const { hasEnded, stderr } = server.program
        if (!(yield* becomesReady(port, hasEnded)))
          return yield* Effect.die(new Error(`the server ended:\n${stderr()}`))
        if (round > 0) startMs.push((yield* Clock.currentTimeMillis) - server.startedMs)
        const connection = yield* connectionTo(yield* configOf(server.kubeconfig), { maxSockets: WRITERS })
        if (round === 0) {
          yield* createServiceAccount(connection)
          for (const replica of replicas) {
            const { items, revision } = yield* listOf(connection, replica.kind)
            replica.reset(items, revision)
          }
        }
        report.relists += yield* checkAfterRestart(connection, ledger, replicas)
        if (round < rounds)
          yield* writeUntilKilled(server, connection, ledger, yield* Random.nextIntBetween(0, MAX_LIFE_MS), round)
        for (const replica of replicas) {
          replica.stop()
          assertThat(replica.problem() === undefined, () => replica.problem() ?? "")
        }
      })
    )
    onRound(round)
  }
  const watchEvents = replicas.reduce((sum, { events }) => sum + events(), 0)
  return { ...report, acknowledged: ledger.acknowledged(), watchEvents, startMs } satisfies KillReport
}, Effect.scoped)
