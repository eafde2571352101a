import { NodeHosts, PodRuntimes } from "@rollcall/kubelet"
import { Inhibitors, Links } from "@rollcall/machines"
import { byDefault } from "@rollcall/time"
import * as Layer from "effect/Layer"

/** The default ports of the machines of a live cluster. */
export const layerMachinePorts = (seed: number) =>
  Layer.mergeAll(
    byDefault(PodRuntimes, PodRuntimes.layerModelled()),
    byDefault(NodeHosts, NodeHosts.layerModelled),
    byDefault(Links, Links.layerModelled(seed)),
    byDefault(Inhibitors, Inhibitors.layerModelled)
  )
