import type { ClusterError, Connection } from "@rollcall/cluster"
import { clientConfig, loadKubeconfig, makeConnection } from "@rollcall/kube-client"
import { Timers } from "@rollcall/time"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { requestsOfUser } from "./auditLog.ts"
import { requestsAbout } from "./belongs.ts"
import { type Life, type Shape, type Step, stepsFor } from "./Life.ts"

export interface RecordOptions {
  /** The kubeconfig of an administrator. */
  readonly kubeconfig: string
  /** The API server's audit log. */
  readonly auditLog: string
  /** The node whose kubelet is recorded. */
  readonly node: string
}

/** How many shapes are played at once: more would wait for each other on a machine with few processors. */
const TOGETHER = 12

/** The log is written before a request is answered, but a kubelet's last requests may still be on their way. */
export const LAST_REQUESTS = "2 seconds"

export const send = (
  connection: Connection,
  { request }: Pick<Step, "request">
): Effect.Effect<unknown, ClusterError> =>
  Effect.callback((resume) => {
    const cancel = connection.send(request, (answer) =>
      resume(Result.isSuccess(answer) ? Effect.succeed(answer.success) : Effect.fail(answer.failure))
    )
    return Effect.sync(cancel)
  })

/** Plays the steps of a shape. Returns when the first one was sent. */
const play = Effect.fnUntraced(function* (connection: Connection, shape: Shape, node: string) {
  const startMs = yield* Clock.currentTimeMillis
  for (const step of stepsFor(shape, node)) {
    const now = yield* Clock.currentTimeMillis
    yield* Effect.sleep(Math.max(0, startMs + step.at * 1000 - now))
    yield* Effect.catch(send(connection, step), (error) => Effect.logError(`${shape.name}: ${error.message}`))
  }
  const now = yield* Clock.currentTimeMillis
  yield* Effect.sleep(Math.max(0, startMs + shape.seconds * 1000 - now))
  return { shape, startMs }
})

export const seconds = (ms: number): number => Math.round(ms / 10) / 100

/** Connects as the user of a kubeconfig. */
export const connectTo = Effect.fnUntraced(function* (kubeconfig: string) {
  const config = yield* Effect.flatMap(loadKubeconfig({ file: kubeconfig }), (loaded) => clientConfig(loaded))
  const timers = yield* Timers
  return yield* Effect.acquireRelease(
    Effect.sync(() => makeConnection({ config, timers, userAgent: "compare-kubelet/v1" })),
    ({ close }) => Effect.sync(close)
  )
})

/** Plays shapes on a node of a cluster, some at once, and returns what its kubelet did. */
export const recordLives = Effect.fnUntraced(function* (
  shapes: ReadonlyArray<Shape>,
  { auditLog, kubeconfig, node }: RecordOptions
) {
  const connection = yield* connectTo(kubeconfig)
  const played = yield* Effect.forEach(shapes, (shape) => play(connection, shape, node), { concurrency: TOGETHER })
  yield* Effect.sleep(LAST_REQUESTS)
  const logged = requestsOfUser(auditLog, `system:node:${node}`)
  return played.map(({ shape, startMs }): Life => {
    const requests = requestsAbout(shape.name, logged)
      .filter(({ atMs }) => atMs >= startMs && atMs <= startMs + shape.seconds * 1000)
      .map(({ atMs, ...request }) => ({ ...request, at: seconds(atMs - startMs) }))
    return { ...shape, node, requests }
  })
})
