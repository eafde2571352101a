import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assert, describe, it } from "vitest"
import { Observers } from "../src/index.ts"
import { observersContract } from "../src/testing/index.ts"

observersContract("none", Observers.layer())

const told: Array<string> = []
observersContract(
  "two, of which one counts and one writes down",
  Layer.effect(
    Observers,
    Effect.sync(() => {
      let zones = 0
      return [
        { zoneCreated: () => void zones++, volumeDetached: ({ volume }) => void told.push(volume) },
        { evictionScheduled: ({ pod }) => void told.push(pod), zoneStateChanged: ({ to }) => void told.push(to) }
      ]
    })
  )
)

describe("the suite of observers", () => {
  it("has called them", () => assert.includeMembers(told, ["a", "pv-1", "FullDisruption"]))
})
