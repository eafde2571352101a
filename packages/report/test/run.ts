import { type LoadTextOptions, loadScenarioText, rehearse } from "@rollcall/simulator"
import type { ResultContext, ScenarioResult } from "@rollcall/simulator/result"
import * as Effect from "effect/Effect"

/** Rehearses a scenario of this spec to its end. */
export const rehearseSpec = (spec: Readonly<Record<string, unknown>>, options?: LoadTextOptions): ScenarioResult => {
  const text = JSON.stringify({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Scenario",
    metadata: { name: "x" },
    spec
  })
  const [plan] = Effect.runSync(loadScenarioText(text, options))
  if (plan === undefined) throw new Error("no plan")
  return Effect.runSync(rehearse(plan))
}

/** A pod without an owner, on this node. */
export const podWithoutOwner = (name: string, node: string, spec: Readonly<Record<string, unknown>> = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default" },
  spec: { nodeName: node, containers: [{ name: "c", image: "x" }], ...spec }
})

/** A result context with the defaults of Kubernetes 1.36, for these nodes by zone. */
export const contextOf = (zones: ResultContext["zones"], description = ""): ResultContext => ({
  description,
  rules: {
    release: "1.36",
    grace: 50,
    period: 5,
    heartbeat: 10,
    rate: 0.1,
    secondaryRate: 0.01,
    largeSize: 50,
    unhealthyShare: 0.55,
    toleration: 300,
    notReadyToleration: 300,
    leaderElect: true,
    leaseDuration: 15,
    renewDeadline: 10,
    runtimeCheck: 5,
    runtimeDownAfter: 30
  },
  podEviction: "taints",
  evictionRate: 0.1,
  events: [],
  zones,
  workloads: [],
  owners: {},
  outside: [],
  classOnly: {}
})
