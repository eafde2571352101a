import type { Release } from "@rollcall/api"
import { CloudProvider } from "@rollcall/node-controller"
import { Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { MachineDirectory } from "../MachineDirectory.ts"
import { type CloudOptions, type FleetCloud, makeFleetCloud } from "./FleetCloud.ts"
import type { PlannedCloud } from "./PlannedCloud.ts"

export interface MachineCloudShape {
  /** Undefined: the machines are of no cloud. */
  readonly cloud: FleetCloud | undefined
  /** What kubelets of old are told, which ask for their machines themselves; absent: they ask nobody. */
  readonly askCloud?: FleetCloud["answerTo"]
}

export interface MachineCloudOptions extends Pick<CloudOptions, "seed"> {
  readonly plan: PlannedCloud
  readonly release: Release
  /** See `CloudOptions.nodeOf`; absent: no machine was known before. */
  readonly nodeOf?: CloudOptions["nodeOf"]
}

/** What to tell the user of a world without a cloud who has brought a CloudProvider; undefined: nobody has. */
export const unaskedCloud: Effect.Effect<string | undefined> = Effect.map(Effect.serviceOption(CloudProvider), (own) =>
  Option.isNone(own)
    ? undefined
    : "the CloudProvider of the layers is not asked: the machines are of no cloud (spec.config.cloudProvider of a scenario makes them so)"
)

/** The cloud that the machines of a world are of. It looks them up in the directory: it is there before they are. */
export class MachineCloud extends Context.Service<MachineCloud, MachineCloudShape>()(
  "@rollcall/machines/MachineCloud"
) {
  static readonly none: Layer.Layer<MachineCloud> = Layer.succeed(MachineCloud, { cloud: undefined })

  /** A modelled cloud. Where the world has a CloudProvider, that answers the controllers instead. */
  static readonly layer = ({
    nodeOf = () => undefined,
    plan,
    release,
    seed
  }: MachineCloudOptions): Layer.Layer<MachineCloud, never, Timers | MachineDirectory> =>
    Layer.effect(
      MachineCloud,
      Effect.gen(function* () {
        const timers = yield* Timers
        const { byName } = yield* MachineDirectory
        const own = yield* Effect.serviceOption(CloudProvider)
        const askedByKubelets = release.cloudControllers === "nodeController"
        const make = () =>
          makeFleetCloud({
            plan,
            seed,
            timers,
            machines: () => byName.values(),
            machineOf: (name) => byName.get(name),
            nodeOf,
            askedByKubelets
          })
        const cloud = yield* Effect.acquireRelease(Effect.sync(make), ({ stop }) => Effect.sync(stop))
        return {
          cloud: Option.isNone(own) ? cloud : answeredBy(cloud, own.value),
          ...(askedByKubelets ? { askCloud: cloud.answerTo } : {})
        }
      })
    )
}

/** Its Nodes are settled by its own controllers, which are asked as time goes on; faults of the modelled cloud do not reach it. */
const answeredBy = ({ answerTo, controllers, stop }: FleetCloud, provider: CloudProvider["Service"]): FleetCloud => ({
  answerTo,
  controllers,
  modelled: undefined,
  provider,
  settled: (node) => node,
  stop
})
