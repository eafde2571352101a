import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import * as rollcall from "../src/effect.ts"

const snapshot = fileURLToPath(new URL("../../../examples/drain/budget-waits/cluster.yaml", import.meta.url))

describe("rollcall/effect", () => {
  it("has plans that fail with InvalidInput and need nothing", async () => {
    const blocked = rollcall.planDrain({ snapshot, nodes: ["n1"] }).pipe(Effect.map(({ plan }) => plan.blocked))
    assert.isFalse(await Effect.runPromise(blocked))
    const refused = rollcall
      .simulate("no-such.yaml")
      .pipe(Effect.catchTag("InvalidInput", (error) => Effect.succeed(error)))
    assert.instanceOf(await Effect.runPromise(refused), rollcall.InvalidInput)
  })
})
