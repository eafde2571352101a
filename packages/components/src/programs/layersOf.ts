import { type InvalidInput, invalid } from "@rollcall/input"
import type { LayersReader, UserLayers } from "@rollcall/worlds"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Host } from "../host/Host.ts"

/** Loads the layers of `--layers`; an empty layer if the flag is not given. */
export const layersOf = Effect.fnUntraced(function* (
  file: string,
  reader: LayersReader
): Effect.fn.Return<UserLayers, InvalidInput, Host> {
  if (file === "") return Layer.empty
  const { load, log } = yield* Host
  if (load === undefined) return yield* invalid("command line", "--layers", "this program does not load code files")
  const module = yield* Effect.tryPromise({
    try: () => load(file),
    catch: (cause) => invalid(file, "", `cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`)
  })
  // Imported only here: the services of all worlds are in packages that an API server does not need.
  const { readLayers } = yield* Effect.promise(() => import("@rollcall/worlds"))
  const warned = new Set<string>()
  const warn = (message: string) => {
    if (!warned.has(message)) log(`${reader}: warning: ${message}`)
    warned.add(message)
  }
  return yield* readLayers({ file, module, reader, warn })
})
