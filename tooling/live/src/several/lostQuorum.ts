import type { ConfigMap } from "@rollcall/api"
import { type ClusterError, fromConnection } from "@rollcall/cluster"
import type { KubeConnection } from "@rollcall/kube-client"
import { Timers } from "@rollcall/time"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { eventually } from "../process/eventually.ts"
import { configOf, connectionTo, freePort, readyServer, temporaryFolder } from "../process/rollcall.ts"
import { followKind } from "../spread/Follower.ts"
import { startMembers } from "./etcdMembers.ts"

/** What an API server told while two of the three members of its etcd were gone, and after they were back. */
export interface QuorumReport {
  readonly writeSeconds: number
  readonly writeError: string
  readonly readyz: number
  readonly livez: number
  /** Objects of a list that may be of any age. */
  readonly staleItems: number
  readonly recoverySeconds: number
  readonly watchEvents: ReadonlyArray<string>
  readonly resumed: number
}

const CLIENT_MS = 30_000
const WAIT_MS = 60_000
const SETTLE_MS = 2_000
const namespace = "default"

const mapOf = (name: string): ConfigMap => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace } })

const codeOf = ({ raw }: KubeConnection, path: string): Effect.Effect<number> =>
  Effect.callback((resume) => {
    const cancel = raw({ method: "GET", path }, (answer) =>
      resume(Effect.succeed(Result.isSuccess(answer) ? answer.success.code : 0))
    )
    return Effect.sync(cancel)
  })

const staleList = (connection: KubeConnection): Effect.Effect<number> =>
  Effect.callback((resume) => {
    const cancel = connection.send({ verb: "list", kind: "ConfigMap", namespace, resourceVersion: "0" }, (answer) =>
      resume(
        Effect.succeed(
          Result.isSuccess(answer) ? (answer.success as { readonly items: ReadonlyArray<unknown> }).items.length : -1
        )
      )
    )
    return Effect.sync(cancel)
  })

/** Kills two of three members, writes and reads, and starts them again. */
export const lostQuorum = Effect.gen(function* () {
  const timers = yield* Timers
  const folder = yield* temporaryFolder
  const members = yield* startMembers(3, folder)
  const args = ["--etcd-servers", members.urls.join(",")]
  const { kubeconfig } = yield* readyServer({ folder: `${folder}/server`, port: yield* freePort, args })
  const connection = yield* connectionTo(yield* configOf(kubeconfig), { requestTimeoutMs: CLIENT_MS })
  const { create } = fromConnection(connection)
  const before = yield* Effect.orDie(create("ConfigMap", mapOf("before")))
  const watchEvents: Array<string> = []
  const watch = followKind([connection], timers, "ConfigMap", {
    after: Number(before.metadata.resourceVersion),
    first: 0,
    take: ({ metadata }) => void watchEvents.push(metadata.name ?? "")
  })
  yield* Effect.addFinalizer(() => Effect.sync(watch.stop))
  yield* Effect.all([members.kill(0), members.kill(1)])

  const fromMs = yield* Clock.currentTimeMillis
  const written = yield* Effect.result(create("ConfigMap", mapOf("lost")))
  const writeSeconds = ((yield* Clock.currentTimeMillis) - fromMs) / 1000
  const writeError = Result.isFailure(written) ? messageOf(written.failure) : "none"
  const [readyz, livez, staleItems] = [
    yield* codeOf(connection, "/readyz"),
    yield* codeOf(connection, "/livez"),
    yield* staleList(connection)
  ]
  yield* Effect.all([members.start(0), members.start(1)])
  const backMs = yield* Clock.currentTimeMillis
  yield* eventually("a write", Effect.result(create("ConfigMap", mapOf("after"))), Result.isSuccess, WAIT_MS)
  yield* eventually("/readyz", codeOf(connection, "/readyz"), (code) => code === 200, WAIT_MS)
  const recoverySeconds = ((yield* Clock.currentTimeMillis) - backMs) / 1000
  yield* Effect.sleep(SETTLE_MS)
  const { resumed } = watch.followed()
  return { writeSeconds, writeError, readyz, livez, staleItems, recoverySeconds, watchEvents, resumed }
}).pipe(Effect.scoped)

const messageOf = (error: ClusterError): string =>
  error._tag === "ApiError" ? `${error.status.code} ${error.status.reason ?? ""}: ${error.message}` : error.message

/** Returns what a report shows that must not be. The write that failed may have been carried out or not. */
export const quorumFaults = (report: QuorumReport): ReadonlyArray<string> => [
  ...(/^500 .*etcd did not answer/.test(report.writeError) ? [] : [`a write was answered with: ${report.writeError}`]),
  ...(report.writeSeconds <= 15 ? [] : [`a write was answered after ${report.writeSeconds.toFixed(1)} s`]),
  ...(report.readyz === 200 ? ["/readyz was well without most members"] : []),
  ...(report.staleItems > 0 ? [] : ["a read of any age was refused"]),
  ...(report.watchEvents.filter((name) => name === "after").length === 1
    ? []
    : ["the watch has not told the next write once"])
]
