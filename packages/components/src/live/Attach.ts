import type { Cluster, Connection } from "@rollcall/cluster"
import { type ClientConfig, KubeClient, type KubeConnection } from "@rollcall/kube-client"
import { MachineCloud, MachineDirectory, type MachinesOptions, ServerGate } from "@rollcall/machines"
import { type MetricSet, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { surviveErrors } from "../apiserver/processErrors.ts"
import { type KubeletLogs, layerLiveMachines } from "../fleet/fleetMachines.ts"
import { Host } from "../host/Host.ts"
import { layerMachinePorts } from "./ports.ts"

/** An external cluster, and the user for it. */
export interface AttachSettings {
  readonly config: ClientConfig
  readonly userAgent: string
  /** Whether to send all requests and watches over one HTTP/2 connection; by default each watch has its own. */
  readonly http2?: boolean
  /** Counts and measures the client's requests. */
  readonly metrics?: MetricSet
}

const surviveUncaughtErrors = Effect.gen(function* () {
  const { handleError, now } = yield* Timers
  const { errorSource } = yield* Host
  yield* surviveErrors(handleError, now, errorSource)
})

/** A client of an external cluster, in a process that continues after an error of one callback. */
export const layer = (settings: AttachSettings): Layer.Layer<KubeClient | Cluster, never, Host | Timers> =>
  KubeClient.layer(settings).pipe(Layer.provideMerge(Layer.effectDiscard(surviveUncaughtErrors)))

export interface AttachedMachines
  extends Pick<MachinesOptions, "release" | "seed" | "model" | "meter" | "credentialPlugins"> {
  /** Returns the connection of a node's kubelet to the cluster. */
  readonly connect: (connection: KubeConnection, node: string) => Connection
}

/**
 * Makes machines whose kubelets connect to the cluster of the provided client. Without `logs` they share a rate-limited
 * log.
 */
export const layerMachines = ({ connect, ...options }: AttachedMachines, ...logs: [] | [KubeletLogs]) =>
  Layer.unwrap(
    Effect.map(KubeClient, ({ connection }) =>
      layerLiveMachines({ ...options, connect: (node) => connect(connection, node) }, ...logs)
    )
  ).pipe(
    Layer.provide(layerMachinePorts(options.seed)),
    Layer.provideMerge(Layer.mergeAll(ServerGate.layer, MachineDirectory.layer, MachineCloud.none))
  )
