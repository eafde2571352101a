import { componentLog } from "@rollcall/cluster"
import type { Kubelet } from "@rollcall/kubelet"
import { type Exposition, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { type KubeletServerOptions, kubeletServer } from "../serving/kubelet/kubeletServer.ts"
import { readOnlyServer } from "../serving/kubelet/readOnlyServer.ts"
import { flagz, statusz } from "../serving/pages.ts"
import { kubeletProgram } from "./kubelet.ts"
import { type KubeletValues, kubeletServing, readNamed } from "./kubeletServing.ts"
import type { KubeletStart } from "./kubeletSettings.ts"

/** Upstream: the gates ComponentStatusz and ComponentFlagz. */
const ZPAGES_MINOR = 36
const TEXT = "text/plain; charset=utf-8"

type Pages = NonNullable<KubeletServerOptions["pages"]>

const metricsPage = (metrics: () => Exposition): Pages => ({
  "/metrics": () => {
    const { body, type } = metrics()
    return { type, body: String(body) }
  }
})

/** The pages of the process. Those about itself are among the handlers for debugging. Upstream: pkg/kubelet/server InstallZPages. */
const pagesOf = (
  { config, release }: KubeletStart,
  values: KubeletValues,
  now: () => number,
  metrics: () => Exposition
): Pages => {
  const startedMs = now()
  const text = (body: string) => ({ type: TEXT, body })
  const { flags, name } = kubeletProgram
  return {
    ...metricsPage(metrics),
    ...(config.enableDebuggingHandlers && Number(release.name.split(".")[1]) >= ZPAGES_MINOR
      ? {
          "/statusz": () => text(statusz(name, release, startedMs, now())),
          "/flagz": () => text(flagz(name, flags, { ...values }))
        }
      : {})
  }
}

/** Serves the API of a process' only kubelet, if it can: what prevents that is logged, and the kubelet runs on. */
export const serveOneKubelet = (
  kubelet: Kubelet,
  start: KubeletStart,
  flags: KubeletValues,
  metrics: () => Exposition
) =>
  serveReadOnly(kubelet, start, metrics).pipe(
    Effect.catch(({ message }) => Effect.logWarning(`the read-only server of the kubelet is not started: ${message}`)),
    Effect.andThen(serve(kubelet, start, flags, metrics)),
    Effect.catch(({ message }) => Effect.logWarning(`the server of the kubelet is not started: ${message}`))
  )

/** Serves what everybody may see of a process' only kubelet, if its configuration has a port for that. */
const serveReadOnly = Effect.fnUntraced(function* (
  kubelet: Kubelet,
  { configuration }: KubeletStart,
  metrics: () => Exposition
) {
  const { address = "0.0.0.0", readOnlyPort = 0 } = configuration
  if (readOnlyPort === 0) return
  const log = yield* componentLog
  const port = yield* readOnlyServer({ kubelet, host: address, port: readOnlyPort, pages: metricsPage(metrics) })
  log("info", "Starting to listen read-only", { address, port })
})

/**
 * Serves the API of a process' only kubelet, if its configuration has a CA of clients. Upstream:
 * pkg/kubelet/server/server.go, ListenAndServeKubeletServer.
 */
const serve = Effect.fnUntraced(function* (
  kubelet: Kubelet,
  start: KubeletStart,
  values: KubeletValues,
  metrics: () => Exposition
) {
  const { config, configuration } = start
  const { address = "0.0.0.0", authentication, enableServer = true } = configuration
  const clientCAFile = authentication?.x509?.clientCAFile ?? ""
  if (clientCAFile === "" || !enableServer || config.port === 0) return
  const { now } = yield* Timers
  const log = yield* componentLog
  const clientCa = yield* readNamed("authentication.x509.clientCAFile", clientCAFile)
  const port = yield* kubeletServer({
    ...(yield* kubeletServing(start, values, clientCa)),
    kubelet,
    host: address,
    port: config.port,
    flagNames: { port: "--port", host: "--address" },
    pages: pagesOf(start, values, now, metrics)
  })
  log("info", "Started kubelet server", { address, port })
})
