import { Timers, type TimersShape } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type HostControls, type ModelledHostOptions, makeModelledHost } from "./ModelledHost.ts"
import type { NodeHost } from "./NodeHost.ts"

/** The planned properties of a machine. */
export type HostMachine = Pick<
  ModelledHostOptions,
  | "name"
  | "capacity"
  | "allocatable"
  | "internalIP"
  | "kubeletPort"
  | "operatingSystem"
  | "architecture"
  | "swapBytes"
  | "runtimeHandlers"
  | "podPidsLimit"
  | "askCloud"
>

/** The host of a machine, with the controls that it has: faults and volumes have no effect on a host without theirs. */
export type ControlledHost = NodeHost & Partial<HostControls>

export interface NodeHostsShape {
  /** Called once for each machine, when it is made. The host lives as long as its machine. */
  readonly of: (machine: HostMachine) => ControlledHost
}

/**
 * The port to the machines that kubelets run on: one service makes the hosts of all machines of a process.
 * Implementations are tested by `nodeHostContract` of `@rollcall/kubelet/testing`.
 */
export class NodeHosts extends Context.Service<NodeHosts, NodeHostsShape>()("@rollcall/kubelet/NodeHosts") {
  /** Simulated hosts, whose memory, disk and processes can run out. */
  static readonly modelled = (timers: TimersShape): NodeHostsShape => ({
    of: (machine) => makeModelledHost({ ...machine, resources: timers })
  })

  static readonly layerModelled: Layer.Layer<NodeHosts, never, Timers> = Layer.effect(
    NodeHosts,
    Effect.map(Timers, NodeHosts.modelled)
  )
}
