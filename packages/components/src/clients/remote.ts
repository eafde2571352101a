import { join } from "node:path"
import { withLineNumbers } from "@rollcall/input/documents"
import {
  type ClientConfig,
  clientConfig,
  type KubeConnection,
  loadKubeconfig,
  makeConnection
} from "@rollcall/kube-client"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { Host } from "../host/Host.ts"

/** The flags of every client that select the cluster and the user. */
export interface ClusterFlags {
  readonly kubeconfig: string
  readonly context: string
  readonly master: string
}

/** Returns the client settings for the cluster and the user from flags, KUBECONFIG or the home folder. */
export const remoteConfig = Effect.fnUntraced(function* ({ context, kubeconfig, master }: ClusterFlags) {
  const { environment, homeFolder } = yield* Host
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
  return master === "" ? config : { ...config, server: master }
}, withLineNumbers)

interface ConnectionOptions {
  readonly http2?: boolean
}

/** Connects to a cluster; closing the scope closes its sockets. */
export const connectTo = Effect.fnUntraced(function* (
  config: ClientConfig,
  userAgent: string,
  { http2 = false }: ConnectionOptions = {}
) {
  const timers = yield* Timers
  return yield* Effect.acquireRelease(
    Effect.sync((): KubeConnection => makeConnection({ config, timers, userAgent, http2 })),
    ({ close }) => Effect.sync(close)
  )
})

/** Connects to the cluster that flags select. */
export const remoteConnection = (flags: ClusterFlags, userAgent: string, options?: ConnectionOptions) =>
  Effect.flatMap(remoteConfig(flags), (config) => connectTo(config, userAgent, options))
