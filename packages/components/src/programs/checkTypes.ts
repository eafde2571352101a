import type { Steps } from "@rollcall/time"
import type { CheckTypes } from "@rollcall/workloads"
import * as Effect from "effect/Effect"

/** Runs steps, and lets other work run between them. */
const pausing = Effect.fnUntraced(function* <A>(steps: Steps<A>) {
  let step = steps.next()
  while (step.done !== true) {
    yield* Effect.yieldNow
    step = steps.next()
  }
  return step.value
})

/** The check of policies' types; the expression language loads with the first policy. */
export const checkTypes: CheckTypes = Effect.fnUntraced(function* (policy, definitions) {
  const { typeWarningsInSteps } = yield* Effect.promise(() => import("@rollcall/dynamic-admission/type-check"))
  return yield* pausing(typeWarningsInSteps(policy, definitions))
})
