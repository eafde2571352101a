import { Cluster, type Connection } from "@rollcall/cluster"
import type { Timers } from "@rollcall/time"
import { type DriverOptions, layerModelledDriver } from "@rollcall/volumes"
import * as Layer from "effect/Layer"

const anyDriver: DriverOptions = { serves: (driver) => driver !== "" }

/** Makes, attaches and deletes volumes: by default in the place of whatever driver a class or a volume names. */
export const modelledStorageDriver = (
  connection: Connection,
  options: DriverOptions = anyDriver
): Layer.Layer<never, never, Timers> =>
  layerModelledDriver(options).pipe(Layer.provide(Cluster.layerConnection(connection)))
