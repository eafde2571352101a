import { join } from "node:path"
import { Store, type StoreFailure, type StoreShape } from "@rollcall/store"
import { layerSqlite, type StoreFileRefused } from "@rollcall/store-sqlite"
import { byDefault, type Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { EtcdSettings } from "./etcdFlags.ts"

/** The store in a server's folder. */
export const STORE_FILE = "store.sqlite"

/** Where a server keeps its objects. */
export interface StoreSettings {
  readonly folder: string
  /** Whether to start even if the store lacks acknowledged writes; by default such a store is refused. */
  readonly acceptDataLoss?: boolean
  /** Keeps the objects in etcd instead of the folder (`--etcd-servers`). */
  readonly etcd?: EtcdSettings
}

/** A store in etcd, whose client is loaded only then. */
const layerInEtcd = ({ compactionIntervalMs, prefix, servers, tls }: EtcdSettings) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("@rollcall/store-etcd")),
      ({ layerEtcd }) => layerEtcd({ endpoints: servers, tls, prefix, root: "/registry", compactionIntervalMs })
    )
  )

/** The default Store of a server: etcd if there are settings of one, otherwise one file in its folder. */
export const layerServerStore = ({
  acceptDataLoss = false,
  etcd,
  folder
}: StoreSettings): Layer.Layer<Store, StoreFailure | StoreFileRefused, Timers> =>
  byDefault<Store, StoreShape, StoreFailure | StoreFileRefused, Timers>(
    Store,
    etcd === undefined ? layerSqlite({ file: join(folder, STORE_FILE), acceptLoss: acceptDataLoss }) : layerInEtcd(etcd)
  )
