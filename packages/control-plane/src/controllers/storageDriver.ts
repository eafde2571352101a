import { Cluster, type Connection } from "@rollcall/cluster"
import type { Timers } from "@rollcall/time"
import { type DriverOptions, layerModelledDriver } from "@rollcall/volumes"
import * as Layer from "effect/Layer"

const anyDriver: DriverOptions = { serves: (driver) => driver !== "" }

/**
 * Provisions, attaches and deletes volumes in place of a CSI driver; by default for every driver that a class or a
 * volume names.
 */
export const modelledStorageDriver = (
  connection: Connection,
  options: DriverOptions = anyDriver
): Layer.Layer<never, never, Timers> =>
  layerModelledDriver(options).pipe(Layer.provide(Cluster.layerConnection(connection)))
