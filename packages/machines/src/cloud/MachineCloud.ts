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
  /** The machines' cloud; undefined if they have none. */
  readonly cloud: FleetCloud | undefined
  /** Answers kubelets of old releases that ask for their machine; absent if kubelets do not ask. */
  readonly askCloud?: FleetCloud["answerTo"]
}

export interface MachineCloudOptions extends Pick<CloudOptions, "seed"> {
  readonly plan: PlannedCloud
  readonly release: Release
  /** See `CloudOptions.nodeOf`; absent if no machine has a Node in a snapshot. */
  readonly nodeOf?: CloudOptions["nodeOf"]
}

/**
 * Returns a warning for a user who provides a CloudProvider to a world without a cloud, or undefined if none is
 * provided.
 */
export const unusedCloudProvider: Effect.Effect<string | undefined> = Effect.map(
  Effect.serviceOption(CloudProvider),
  (userProvider) =>
    Option.isNone(userProvider)
      ? undefined
      : "the CloudProvider of the layers is not used: the machines have no cloud (spec.config.cloudProvider of a scenario gives them one)"
)

/** The service of the machines' cloud. It looks machines up in the directory, since it is created before them. */
export class MachineCloud extends Context.Service<MachineCloud, MachineCloudShape>()(
  "@rollcall/machines/MachineCloud"
) {
  static readonly none: Layer.Layer<MachineCloud> = Layer.succeed(MachineCloud, { cloud: undefined })

  /** A modelled cloud. If the user provides a CloudProvider, that one serves the controllers instead. */
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
        const userProvider = yield* Effect.serviceOption(CloudProvider)
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
          cloud: Option.isNone(userProvider) ? cloud : withProvider(cloud, userProvider.value),
          ...(askedByKubelets ? { askCloud: cloud.answerTo } : {})
        }
      })
    )
}

/**
 * Returns the cloud with a user's CloudProvider for its controllers. They initialize Nodes in the course of the run,
 * and faults of the modelled cloud do not affect them.
 */
const withProvider = ({ answerTo, controllers, stop }: FleetCloud, provider: CloudProvider["Service"]): FleetCloud => ({
  answerTo,
  controllers,
  modelled: undefined,
  provider,
  settled: (node) => node,
  stop
})
