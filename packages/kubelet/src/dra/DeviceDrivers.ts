import type { Connection } from "@rollcall/cluster"
import { Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { DeviceDriversShape } from "./DeviceDriver.ts"
import { modelledDrivers } from "./modelledDrivers.ts"

/**
 * The port to the drivers of devices: one service has those of all kubelets of a process. It is optional: without it, modelled drivers
 * prepare every claim at once. Implementations are tested by `deviceDriversContract` of `@rollcall/kubelet/testing`.
 */
export class DeviceDrivers extends Context.Service<DeviceDrivers, DeviceDriversShape>()(
  "@rollcall/kubelet/DeviceDrivers"
) {
  /**
   * The drivers in context; without any, modelled ones that report the devices of prepared claims in the claims' status, if the claims'
   * parameters ask for it. `connection` is an administrator's.
   */
  static readonly layerModelled = (connection: Connection): Layer.Layer<DeviceDrivers, never, Timers> =>
    Layer.effect(
      DeviceDrivers,
      Effect.gen(function* () {
        const timers = yield* Timers
        const given = yield* Effect.serviceOption(DeviceDrivers)
        return Option.getOrElse(given, (): DeviceDriversShape => modelledDrivers({ connection, timers }))
      })
    )
}
