import { componentLog, makeEventRecorder } from "@rollcall/cluster"
import type { FlagValues } from "@rollcall/flags"
import { KubeClient } from "@rollcall/kube-client"
import { modelUpstream, PodRuntimes } from "@rollcall/kubelet"
import { DEFAULT_CAPACITY, Machines, ownPodRange } from "@rollcall/machines"
import { byDefault, nextRng, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { credentialsOf } from "../credentials/credentialPlugins.ts"
import * as Attach from "../live/Attach.ts"
import type { kubeletMetrics } from "../serving/kubeletMetrics.ts"
import { followWhereNamed } from "./followWhereNamed.ts"
import type { kubeletProgram } from "./kubelet.ts"
import { ownAddress } from "./kubeletPorts.ts"
import type { KubeletStart } from "./kubeletSettings.ts"
import { serveOneKubelet } from "./serveOneKubelet.ts"

/** The pages and metrics of the kubelets of a process. */
export type KubeletServing = Effect.Success<ReturnType<typeof kubeletMetrics>>

/** Runs one kubelet on a modelled machine, as the user of its kubeconfig. It does not end. */
export const runModelled = (
  start: KubeletStart,
  metrics: KubeletServing,
  values: FlagValues<typeof kubeletProgram.flags>
) => {
  const { config, configuration, credentials, name, release } = start
  const { seed } = values
  return Effect.gen(function* () {
    const { make } = yield* Machines
    const { authentication, enableServer = true } = configuration
    const isServed = enableServer && config.port !== 0 && (authentication?.x509?.clientCAFile ?? "") !== ""
    const address = isServed ? yield* ownAddress(start) : undefined
    const machine = make({
      name,
      group: undefined,
      config,
      capacity: DEFAULT_CAPACITY,
      podCIDR: ownPodRange(name, new Set()),
      ...(address === undefined ? {} : { reachedAt: { address, port: config.port } })
    })
    const { kubelet } = machine
    metrics.follow(() => [kubelet])
    yield* Effect.acquireRelease(
      Effect.sync(() => machine.start()),
      () => Effect.sync(() => kubelet.stopKubelet())
    )
    yield* followWhereNamed(kubelet)
    yield* serveOneKubelet(kubelet, start, values, metrics.page)
    return yield* Effect.never
  }).pipe(
    Effect.provide(
      Attach.layerMachines(
        {
          release,
          seed,
          model: modelUpstream,
          meter: metrics.meter,
          ...credentialsOf(credentials),
          connect: (connection) => connection
        },
        Effect.map(componentLog, (log) => () => log)
      )
    )
  )
}

/** Runs one kubelet on the machine of this process. It does not end. */
export const runLinux = Effect.fnUntraced(function* (
  start: KubeletStart,
  metrics: KubeletServing,
  values: FlagValues<typeof kubeletProgram.flags>
) {
  const { config, credentials, name, release } = start
  const { connection } = yield* KubeClient
  const { linuxKubelet } = yield* Effect.promise(() => import("../machine/linuxKubelet.ts"))
  const log = yield* componentLog
  const kubelet = yield* linuxKubelet({
    meter: metrics.meter,
    log,
    onMetrics: metrics.followResources,
    name,
    config,
    release,
    connection,
    recorder: makeEventRecorder(connection, yield* Timers, yield* nextRng, {
      component: "kubelet",
      host: name,
      log
    }),
    seed: values.seed,
    rootDir: values["root-dir"],
    sockets: values["node-sockets"],
    ...credentialsOf(credentials),
    ...(values["logind-root"] === "" ? {} : { logindRoot: values["logind-root"] })
  }).pipe(Effect.provide(byDefault(PodRuntimes, PodRuntimes.layerModelled())))
  metrics.follow(() => [kubelet])
  yield* serveOneKubelet(kubelet, start, values, metrics.page)
  return yield* Effect.never
})
