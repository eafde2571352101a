import type { Timers } from "@rollcall/time"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Target } from "./Target.ts"

/** The outcome of an attack, as the attacker saw it. */
export interface Outcome {
  /** One line: the response to the attacker. */
  readonly seen: string
  /** Whether the server behaved correctly. */
  readonly holds: boolean
}

export interface Attack {
  /** `theme/name`. */
  readonly name: string
  readonly about: string
  /** `scale`: 1 in full; less in the short form of the test suite. */
  readonly run: (target: Target, scale: number) => Effect.Effect<Outcome, never, Scope.Scope | Timers>
}
