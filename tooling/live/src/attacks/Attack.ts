import type { Timers } from "@rollcall/time"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Target } from "./Target.ts"

/** The outcome of an attack, as the attacker saw it. */
export interface Outcome {
  /** One line about the responses to the attacker. */
  readonly finding: string
  /** Whether the server behaved correctly. */
  readonly holds: boolean
}

export interface Attack {
  /** `theme/name`. */
  readonly name: string
  readonly about: string
  /**
   * Runs the attack. `scale` is 1 for the full attack, and less in the test suite, where counts and times are shorter.
   */
  readonly run: (target: Target, scale: number) => Effect.Effect<Outcome, never, Scope.Scope | Timers>
}
