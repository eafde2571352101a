import { kindNames } from "@rollcall/api"
import { layerNamespaceController } from "@rollcall/api-server"
import {
  type ClientMaker,
  type ControllerManagerOptions,
  type ControlPlaneSettings,
  controllerManagerLayer,
  controllerManagerSettings
} from "@rollcall/simulator/world"
import type { Timers } from "@rollcall/time"
import { layerEndpoints, layerServiceAccounts } from "@rollcall/workloads"
import * as Layer from "effect/Layer"
import { clientFlags, commonFlags, ignoredEverywhere, leaderFlags, servingFlags } from "../flags/common.ts"
import { type Flags, flag } from "../flags/Flag.ts"
import type { Program } from "../flags/parseFlags.ts"
import { settingFlags } from "../flags/settingFlags.ts"

/** The command line of kube-controller-manager, as far as its controllers are here. */
export const controllerManagerProgram = {
  name: "kube-controller-manager",
  about:
    "Runs the controllers of a cluster: node lifecycle, addresses for pods, taint eviction, garbage, workloads, budgets, namespaces.",
  flags: {
    ...clientFlags,
    config: flag.text("", "a KubeControllerManagerConfiguration file; flags count more"),
    ...settingFlags(controllerManagerSettings),
    scenario: flag.text("", "a scenario file: its settings of this component; the other file and flags count more"),
    "root-ca-file": flag.text(
      "",
      "PEM of the CA that pods shall know the API server by (default: the one of the kubeconfig)"
    ),
    ...leaderFlags("kube-controller-manager"),
    ...servingFlags(10_257),
    ...commonFlags
  },
  ignored: [
    ...ignoredEverywhere,
    "allow-untagged-cloud",
    "cloud-provider",
    "cluster-name",
    "cluster-signing-cert-file",
    "cluster-signing-duration",
    "cluster-signing-key-file",
    "concurrent-deployment-syncs",
    "concurrent-gc-syncs",
    "concurrent-namespace-syncs",
    "concurrent-replicaset-syncs",
    "concurrent-serviceaccount-token-syncs",
    "configure-cloud-routes",
    "controllers",
    "enable-garbage-collector",
    "horizontal-pod-autoscaler-sync-period",
    "min-resync-period",
    "pod-eviction-timeout",
    "service-account-private-key-file",
    "use-service-account-credentials"
  ]
} satisfies Program<Flags>

export interface LiveControllers extends Pick<ControllerManagerOptions, "observer" | "onFatal"> {
  readonly rootCA?: string
}

/** Events are many and own nothing; the kinds that say who may do what are nobody's either. */
const collected = kindNames.filter((kind) => kind !== "Event")

/** All controllers over the clients given, on time that passes by itself. */
export const liveControllers = (
  settings: ControlPlaneSettings,
  clients: ClientMaker,
  { observer, onFatal, rootCA }: LiveControllers = {}
): Layer.Layer<never, never, Timers> => {
  const limit = { qps: 20, burst: 30 }
  const client = (name: string) => clients.layer(name, limit)
  const lifecycle = controllerManagerLayer(settings, clients, {
    collected,
    nodeLifecycle: { passBaseMs: 0, passPerNodeMs: 0 },
    ...(observer === undefined ? {} : { observer }),
    ...(onFatal === undefined ? {} : { onFatal })
  })
  return Layer.mergeAll(
    Layer.effectDiscard(Layer.build(lifecycle)),
    layerNamespaceController().pipe(Layer.provide(client("namespace-controller"))),
    layerEndpoints.pipe(Layer.provide(client("endpoint-controller"))),
    layerServiceAccounts(rootCA === undefined ? {} : { rootCA }).pipe(
      Layer.provide(client("service-account-controller"))
    )
  )
}
