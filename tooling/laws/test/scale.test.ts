import { loadScenarioText } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { storyDifference, storyOf } from "../src/stories.ts"

const zones = ["a", "b", "c"]
const NODES_A_ZONE = 60

const deployment = (replicas: number) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "x" }] } }
  }
})

const planWith = (events: ReadonlyArray<unknown>, config: Readonly<Record<string, unknown>> = {}) => {
  const scenario = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Scenario",
    metadata: { name: "scale" },
    spec: {
      duration: "14m",
      cluster: {
        nodes: zones.map((name) => ({ name, zone: `zone-${name}`, count: NODES_A_ZONE })),
        objects: [deployment(300)],
        controlPlane: { replicas: 2 }
      },
      config,
      events
    }
  }
  const [plan] = Effect.runSync(loadScenarioText(JSON.stringify(scenario), { name: "scale.json" }))
  if (plan === undefined) throw new Error("no scenario")
  return plan
}

const cases: Readonly<Record<string, ReturnType<typeof planWith>>> = {
  "a zone is cut off, and comes back": planWith([
    { at: "3m", for: "7m", fault: "partition", nodes: { zone: "zone-b" } }
  ]),
  "a zone loses power while the leader of the controllers restarts": planWith([
    { at: "3m", fault: "crash", nodes: { zone: "zone-c" } },
    { at: "4m", fault: "controller-restart" },
    { at: "8m", do: "boot", nodes: { zone: "zone-c" } }
  ]),
  "the API server is away, and a third of the clocks is wrong": planWith(
    [
      { at: "2m", for: "3m", fault: "clock-skew", nodes: { fraction: 0.3 }, by: "2m" },
      { at: "4m", for: "90s", fault: "api-server-down" },
      { at: "8m", for: "2m", fault: "loss", nodes: { zone: "zone-a" }, rate: 0.6 }
    ],
    { kubeControllerManager: { generic: { clientConnection: { qps: 200, burst: 200 } } } }
  )
}

describe("a cluster of 180 nodes and 300 pods", () => {
  for (const [name, plan] of Object.entries(cases)) {
    it(`tells the same story with every heartbeat: ${name}`, { timeout: 300_000 }, () => {
      const columns = storyOf(plan, { everyHeartbeat: false, traceLeases: false })
      assert.isEmpty(columns.result.bugs ?? [])
      assert.isUndefined(storyDifference(columns, storyOf(plan, { everyHeartbeat: true, traceLeases: false })))
    })
  }
})
