import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assert, describe, it } from "vitest"
import { Observers } from "../src/index.ts"
import { observersContract } from "../src/testing/index.ts"

observersContract("none", Observers.layer())

const notifications: Array<string> = []
observersContract(
  "two, of which one counts and one writes down",
  Layer.effect(
    Observers,
    Effect.sync(() => {
      let zones = 0
      return [
        { zoneCreated: () => void zones++, volumeDetached: ({ volume }) => void notifications.push(volume) },
        {
          evictionScheduled: ({ pod }) => void notifications.push(pod),
          zoneStateChanged: ({ to }) => void notifications.push(to)
        }
      ]
    })
  )
)

describe("the suite of observers", () => {
  it("has called them", () => assert.includeMembers(notifications, ["a", "pv-1", "FullDisruption"]))
})
