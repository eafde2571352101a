import type { Timers } from "@rollcall/time"
import type * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type * as Scope from "effect/Scope"

/** A proof on a live cluster whose argument is a number. */
export interface Proof {
  readonly about: string
  /** The default of its number. */
  readonly number: number
  readonly run: (
    number: number
  ) => Effect.Effect<void, unknown, Timers | FileSystem.FileSystem | Path.Path | Scope.Scope>
}
