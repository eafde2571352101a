import { join } from "node:path"
import { clientConfig, type KubeConnection, loadKubeconfig, makeConnection } from "@rollcall/kube-client"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { Host } from "../host/Host.ts"

/** Which cluster, and as whom: the flags that every client of one has. */
export interface ClusterFlags {
  readonly kubeconfig: string
  readonly context: string
  readonly master: string
}

/** A connection to the cluster that flags, KUBECONFIG or the home folder name; its sockets end with the scope. */
export const remoteConnection = Effect.fnUntraced(function* (
  { context, kubeconfig, master }: ClusterFlags,
  userAgent: string,
  { http2 = false }: { readonly http2?: boolean } = {}
) {
  const { environment, homeFolder } = yield* Host
  const timers = yield* Timers
  const loaded = yield* loadKubeconfig({
    file: kubeconfig === "" ? undefined : kubeconfig,
    kubeconfig: environment.KUBECONFIG,
    defaultFile: join(homeFolder, ".kube", "config")
  })
  const config = yield* clientConfig(loaded, {
    context: context === "" ? undefined : context,
    httpsProxy: environment.HTTPS_PROXY ?? environment.https_proxy,
    httpProxy: environment.HTTP_PROXY ?? environment.http_proxy,
    noProxy: environment.NO_PROXY ?? environment.no_proxy
  })
  return yield* Effect.acquireRelease(
    Effect.sync(
      (): KubeConnection =>
        makeConnection({ config: master === "" ? config : { ...config, server: master }, timers, userAgent, http2 })
    ),
    ({ close }) => Effect.sync(close)
  )
})
