import { loadScenarioText } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { type Story, storyDifference, storyOf } from "../src/stories.ts"

const plan = (() => {
  const scenario = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Scenario",
    metadata: { name: "one-node-lost" },
    spec: {
      duration: "8m",
      cluster: { nodes: [{ name: "a", zone: "zone-a", count: 3 }] },
      events: [{ at: "1m", fault: "partition", nodes: { names: ["a-0"] } }]
    }
  }
  const [plan] = Effect.runSync(loadScenarioText(JSON.stringify(scenario), { name: "story.json" }))
  if (plan === undefined) throw new Error("no scenario")
  return plan
})()

const told = (everyHeartbeat: boolean): Story => storyOf(plan, { everyHeartbeat, traceLeases: false })

describe("two stories", () => {
  const story = told(false)
  const withResult = (change: Partial<Story["result"]>): Story => ({ ...story, result: { ...story.result, ...change } })
  const differences: Readonly<Record<string, Story>> = {
    "trace[": withResult({ trace: story.result.trace.slice(0, -1) }),
    "Events[": withResult({ events: story.result.events.slice(0, -1) }),
    "metrics[": withResult({ metrics: story.result.metrics.slice(0, -1) }),
    "totals[": withResult({ summary: { ...story.result.summary, traceDigest: "sha256:0" } }),
    "final Lease[1]": { ...story, objects: { ...story.objects, Lease: story.objects.Lease?.slice(0, 1) ?? [] } }
  }

  it("are the same with columns and with every heartbeat", () => {
    assert.isUndefined(storyDifference(story, told(true)))
    assert.isNotEmpty(story.objects.Lease)
  })

  for (const [part, other] of Object.entries(differences)) {
    it(`differ in ${part}`, () => assert.include(storyDifference(story, other) ?? "", part))
  }
})
