import { Cluster, type Connection } from "@rollcall/cluster"
import type { Timers } from "@rollcall/time"
import { layerModelledDriver } from "@rollcall/volumes"
import * as Layer from "effect/Layer"

/** Makes, attaches and deletes volumes in the place of whatever driver a class or a volume names. */
export const modelledStorageDriver = (connection: Connection): Layer.Layer<never, never, Timers> =>
  layerModelledDriver({ serves: (driver) => driver !== "" }).pipe(Layer.provide(Cluster.layerConnection(connection)))
