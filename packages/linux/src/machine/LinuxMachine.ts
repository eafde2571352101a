import { NodeHosts } from "@rollcall/kubelet"
import type { Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type LinuxHost, type LinuxHostOptions, makeLinuxHost } from "../host/LinuxHost.ts"

/** The machine that this process runs on. */
export class LinuxMachine extends Context.Service<LinuxMachine, LinuxHost>()("@rollcall/linux/LinuxMachine") {
  static readonly layer = (options: LinuxHostOptions): Layer.Layer<LinuxMachine, never, Timers> =>
    Layer.effect(LinuxMachine, makeLinuxHost(options))
}

/** The only host: the machine itself, whatever a kubelet on it is called. */
export const layerLinuxHosts: Layer.Layer<NodeHosts, never, LinuxMachine> = Layer.effect(
  NodeHosts,
  Effect.map(LinuxMachine, ({ host }) => ({ of: () => host }))
)
