import { existsSync } from "node:fs"
import { join } from "node:path"
import { invalid } from "@rollcall/input"
import { Store, type StoreShape } from "@rollcall/store"
import { layerWallClock } from "@rollcall/time"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { etcdOf } from "../apiserver/etcdFlags.ts"
import { layerServerStore, STORE_FILE } from "../apiserver/serverStore.ts"
import { exportStore } from "./exportFile.ts"
import { importStore, verifyStore } from "./importFile.ts"
import { refuseWhileServed } from "./liveServers.ts"

/** A store differs from an export. */
export class StoreDiffers extends Schema.TaggedError<StoreDiffers>()("StoreDiffers", { message: Schema.String }) {}

/** Which store, and what to do with it. */
export interface Transfer {
  readonly verb: "export" | "import" | "verify"
  readonly file: string
  /** The folder of the cluster; empty for a store in etcd. */
  readonly folder: string
  /** Whether API servers may use the store meanwhile. */
  readonly force: boolean
  readonly etcd: Omit<Parameters<typeof etcdOf>[0], "etcd-compaction-interval">
}

const MOST_DIFFERENCES = 20

const carryOut = Effect.fnUntraced(function* ({ file, force, verb }: Transfer, store: StoreShape) {
  if (!force) yield* refuseWhileServed(store, verb)
  if (verb === "export") return `exported ${yield* exportStore(store, file)} objects to ${file}`
  if (verb === "import") return `imported ${yield* importStore(store, file)} objects from ${file}`
  const { differences, more, same } = yield* verifyStore(store, file, MOST_DIFFERENCES)
  if (differences.length === 0) return `${same} objects are the same`
  const lines = differences.map(({ is, key }) => `${is}: ${key}`)
  if (more > 0) lines.push(`and ${more} more`)
  return yield* new StoreDiffers({ message: [`${same} objects are the same, others are not:`, ...lines].join("\n") })
})

/** Copies a store to a file, a file to an empty store, or compares them. No server may run on it. */
export const runTransfer = Effect.fnUntraced(function* (transfer: Transfer) {
  const { etcd: flags, folder, verb } = transfer
  const etcd = yield* etcdOf({ ...flags, "etcd-compaction-interval": 0 })
  if ((etcd === undefined) === (folder === "")) {
    return yield* invalid("command line", "--data-dir", "name one store: --data-dir, or --etcd-servers")
  }
  if (etcd === undefined && verb !== "import" && !existsSync(join(folder, STORE_FILE))) {
    return yield* invalid(folder, "", `has no ${STORE_FILE}`)
  }
  const beganMs = yield* Clock.currentTimeMillis
  const done = yield* Effect.flatMap(Store, (store) => carryOut(transfer, store)).pipe(
    Effect.provide(
      layerServerStore({ folder, ...(etcd === undefined ? {} : { etcd }) }).pipe(Layer.provide(layerWallClock()))
    )
  )
  const seconds = ((yield* Clock.currentTimeMillis) - beganMs) / 1000
  yield* Console.log(`${done} (${seconds.toFixed(1)} s)`)
})
