import type { Node } from "@rollcall/api"
import { type CloudMachine, type FleetCloud, makeFleetCloud } from "@rollcall/machines"
import type { TimersShape } from "@rollcall/time"
import type { Plan } from "../input/load.ts"

/** The cloud of a plan. What the plan shows of its Nodes is what the cloud knows of them. */
export const rehearsedCloud = (
  { cloud, objects, release, seed, snapshot }: Pick<Plan, "cloud" | "objects" | "release" | "seed" | "snapshot">,
  timers: TimersShape,
  machines: ReadonlyMap<string, CloudMachine>
): FleetCloud | undefined => {
  if (cloud === undefined) return undefined
  const shown = new Map(
    [...snapshot, ...objects].flatMap(({ kind, object }) =>
      kind === "Node" ? [[object.metadata.name ?? "", object as Node] as const] : []
    )
  )
  return makeFleetCloud({
    plan: cloud,
    seed,
    timers,
    machines: () => machines.values(),
    machineOf: (name) => machines.get(name),
    nodeOf: (name) => shown.get(name),
    askedByKubelets: release.cloudControllers === "nodeController"
  })
}
