import type { Timers } from "@rollcall/time"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Target } from "./Target.ts"

/** What became of an attack, beside what the observer saw. */
export interface Outcome {
  /** One line: what the attacker was told. */
  readonly seen: string
  /** Whether the server did what it has to. */
  readonly holds: boolean
}

export interface Attack {
  /** `theme/what`. */
  readonly name: string
  readonly about: string
  /** `scale`: 1 in full; less in the short form that the test suite runs. */
  readonly run: (target: Target, scale: number) => Effect.Effect<Outcome, never, Scope.Scope | Timers>
}
