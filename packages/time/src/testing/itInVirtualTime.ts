import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Timers } from "../Timers.ts"
import { makeVirtualTime } from "../VirtualTime.ts"

const START = Date.UTC(2026, 0, 1)

/**
 * Registers a test that runs in its own virtual time, starting at 2026-01-01T00:00:00Z: an hour of `Effect.sleep` costs
 * nothing. An effect that waits for something outside that time dies.
 */
export const itInVirtualTime = <E>(title: string, test: Effect.Effect<void, E, Timers | Scope.Scope>): void => {
  it(title, () => Effect.runSync(makeVirtualTime(START).run(Effect.scoped(test))))
}
