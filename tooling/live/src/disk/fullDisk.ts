import type { ConfigMap } from "@rollcall/api"
import { type ClusterError, type Connection, fromConnection } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { assertThat } from "../kill/Ledger.ts"
import { type Listed, listOf } from "../process/listOf.ts"
import { configOf, connectionTo, freePort, readyServer, startServer } from "../process/rollcall.ts"
import { fillDisk, smallDisk } from "../process/smallDisk.ts"

export interface DiskReport {
  /** The status code of a write without disk space. */
  readonly code: number
  readonly reason: string
  readonly message: string
  readonly writtenBefore: number
  readonly refused: number
  /** `starts` if a server starts on a full disk, otherwise its output. */
  readonly onFullDisk: string
}

const DISK_MEBIBYTES = 48
const FREE_BYTES = 1 << 20
const VALUE = "x".repeat(20_000)
const MAX_WRITES = 2000
const TIMEOUT_MS = 20_000

const configMap = (name: string): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data: { VALUE }
})

/** Returns the API error of a failed write. Throws if the server did not answer. */
const apiErrorOf = (error: ClusterError) => {
  assertThat(error._tag === "ApiError", () => `a write on a full disk was not answered: ${error.message}`)
  return error._tag === "ApiError" ? error : undefined
}

const POLL_INTERVAL_MS = 50

/** Waits until the server answers a list. Returns false if its process ended first. */
const becomesReachable = (connection: Connection, hasEnded: () => boolean) =>
  Effect.gen(function* () {
    while (Exit.isFailure(yield* Effect.exit(listOf(connection, "ConfigMap")))) {
      if (hasEnded()) return false
      yield* Effect.sleep(POLL_INTERVAL_MS)
    }
    return true
  })

const serverIn = (folder: string, port: number) =>
  Effect.gen(function* () {
    const server = yield* readyServer({ folder, port })
    const connection = yield* connectionTo(yield* configOf(server.kubeconfig), { requestTimeoutMs: TIMEOUT_MS })
    return { ...server, connection, cluster: fromConnection(connection) }
  })

/**
 * Starts a server on a full disk, which serves reads and refuses writes. `/readyz` may answer 200 until the first write
 * is refused, so it is not asked. Returns `starts` or the output of a server that ended.
 */
const startOnFullDisk = (disk: string, port: number, checkNothingLost: (items: Listed["items"]) => void) =>
  Effect.gen(function* () {
    const { kubeconfig, program } = yield* startServer({ folder: disk, port })
    const connection = yield* connectionTo(yield* configOf(kubeconfig), { requestTimeoutMs: TIMEOUT_MS })
    if (!(yield* becomesReachable(connection, program.hasEnded))) return program.stderr().trim()
    checkNothingLost((yield* listOf(connection, "ConfigMap")).items)
    const result = yield* Effect.result(fromConnection(connection).create("ConfigMap", configMap("never")))
    assertThat(Result.isFailure(result), () => "the disk is full, and a write was accepted")
    if (Result.isFailure(result)) apiErrorOf(result.failure)
    return "starts"
  }).pipe(Effect.scoped)

/**
 * Fills the disk of the store with writes, and continues: errors are clear, reads work, and writes work again after
 * space is freed. No acknowledged write is lost when the server is killed. Returns undefined if no small disk can be
 * mounted.
 */
export const fullDisk = Effect.gen(function* () {
  const disk = yield* smallDisk(DISK_MEBIBYTES)
  if (disk === undefined) return undefined
  const port = yield* freePort
  const start = serverIn(disk, port)
  const acknowledged = new Set<string>()
  const checkNothingLost = (items: Listed["items"]) => {
    const present = new Set(items.map(({ metadata }) => metadata.name ?? ""))
    const lost = [...acknowledged].filter((name) => !present.has(name))
    assertThat(lost.length === 0, () => `acknowledged and lost: ${lost.join(", ")}`)
  }

  const first = yield* Effect.scoped(
    Effect.gen(function* () {
      const { cluster, connection, program } = yield* start
      const write = (name: string) =>
        cluster.create("ConfigMap", configMap(name)).pipe(
          Effect.tap(() => Effect.sync(() => acknowledged.add(name))),
          Effect.result
        )
      const freeDisk = fillDisk(disk, FREE_BYTES)
      let refusal: ReturnType<typeof apiErrorOf>
      for (let index = 0; index < MAX_WRITES && refusal === undefined; index++) {
        const result = yield* write(`before-${index}`)
        if (Result.isFailure(result)) refusal = apiErrorOf(result.failure)
      }
      if (refusal === undefined) return yield* Effect.die(new Error("the disk never was full"))
      const writtenBefore = acknowledged.size
      let refused = 1
      for (let index = 0; index < 20; index++) {
        const result = yield* write(`full-${index}`)
        if (Result.isSuccess(result)) continue
        refused++
        apiErrorOf(result.failure)
        checkNothingLost((yield* listOf(connection, "ConfigMap")).items)
      }
      assertThat(!program.hasEnded(), () => program.stderr())
      freeDisk()
      yield* Effect.timeoutOrElse(
        Effect.suspend(() => write("after")).pipe(Effect.repeat({ until: Result.isSuccess })),
        { duration: TIMEOUT_MS, orElse: () => Effect.die(new Error("there is room, and writes are still refused")) }
      )
      for (let index = 0; index < 20; index++) {
        const result = yield* write(`after-${index}`)
        assertThat(Result.isSuccess(result), () => "there is room, and a write was refused")
      }
      checkNothingLost((yield* listOf(connection, "ConfigMap")).items)
      // Fill the disk again, and kill the server.
      const freeDiskAgain = fillDisk(disk, 0)
      for (let index = 0; index < 5; index++) yield* write(`again-${index}`)
      program.send("SIGKILL")
      yield* program.ended
      return {
        code: refusal.code,
        reason: refusal.reason,
        message: refusal.message,
        writtenBefore,
        refused,
        freeDiskAgain
      }
    })
  )
  const { freeDiskAgain, ...report } = first
  const onFullDisk = yield* startOnFullDisk(disk, port, checkNothingLost)
  freeDiskAgain()
  yield* Effect.scoped(
    Effect.gen(function* () {
      const { cluster, connection } = yield* start
      checkNothingLost((yield* listOf(connection, "ConfigMap")).items)
      yield* Effect.orDie(cluster.create("ConfigMap", configMap("at-last")))
    })
  )
  return { ...report, onFullDisk } satisfies DiskReport
}).pipe(Effect.scoped)
