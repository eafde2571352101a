import { identities } from "@rollcall/control-plane"
import { clientConfig, type KubeConnection, loadKubeconfig, makeConnection, rawOf } from "@rollcall/kube-client"
import { Timers } from "@rollcall/time"
import type { ReadApi } from "@rollcall/workloads"
import * as Effect from "effect/Effect"

/** The client by which autoscalers read metrics. */
export const AUTOSCALER = "horizontal-pod-autoscaler"

/** Reads paths of an API server over a connection, which is made for the first of them. */
export const readApiOver =
  (connection: () => KubeConnection): ReadApi =>
  (path) =>
    Effect.suspend(() => rawOf(connection())({ method: "GET", path, headers: { accept: "application/json" } }))

/**
 * Reads paths of the API server of an administrator's kubeconfig as the account of autoscalers. The first read makes the
 * connection, which closes with the scope.
 */
export const readApiAsAutoscaler = Effect.fnUntraced(function* (kubeconfigFile: string) {
  const timers = yield* Timers
  const { groups, user, userAgent } = identities.component(AUTOSCALER)
  let made: KubeConnection | undefined
  yield* Effect.addFinalizer(() => Effect.sync(() => made?.close()))
  const connect = Effect.gen(function* () {
    const config = yield* clientConfig(yield* loadKubeconfig({ file: kubeconfigFile }))
    made ??= makeConnection({ config: { ...config, impersonate: { user, groups } }, timers, userAgent })
    return made
  })
  const read: ReadApi = (path) =>
    Effect.flatMap(
      Effect.suspend(() => (made === undefined ? connect : Effect.succeed(made))),
      (connection) => readApiOver(() => connection)(path)
    )
  return read
})
