import * as Effect from "effect/Effect"
import type { Transfer } from "./runTransfer.ts"

/** Copies a store to a file, a file to an empty store, or compares them; loaded then, because no cluster needs it. */
export const runTransfer = (transfer: Transfer) =>
  Effect.flatMap(
    Effect.promise(() => import("./runTransfer.ts")),
    (loaded) => loaded.runTransfer(transfer)
  )
