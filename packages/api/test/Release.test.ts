import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import {
  CurrentRelease,
  defaultRelease,
  featureGatesOf,
  gateState,
  isReleaseName,
  releaseNames,
  releases,
  resolveFeatureGates
} from "../src/index.ts"

describe("releases", () => {
  it("are found under their names, the newest by default", () => {
    for (const name of releaseNames) assert.strictEqual(releases[name].name, name)
    assert.strictEqual(Effect.runSync(Effect.service(CurrentRelease)), defaultRelease)
    assert.strictEqual(defaultRelease, releases["1.36"])
    assert.isFalse(isReleaseName("1.30"))
    assert.isFalse(isReleaseName("toString"))
  })

  it("differ in a node's grace period, and in how its pods are evicted", () => {
    assert.deepStrictEqual(
      releaseNames.map((name) => releases[name].nodeMonitorGracePeriodSeconds),
      [40, 40, 40, 50, 50]
    )
    assert.deepStrictEqual(
      releaseNames.map((name) => releases[name].podEviction),
      ["deletion", "taints", "taints", "taints", "taints"]
    )
  })

  it("know a gate from the release that introduced it", () => {
    assert.isUndefined(gateState(releases["1.4"], "NodeSwap"))
    assert.deepStrictEqual(
      (["1.26", "1.31", "1.35"] as const).map((name) => gateState(releases[name], "NodeSwap")),
      [
        { stage: "alpha", enabled: false, locked: false },
        { stage: "beta", enabled: true, locked: false },
        { stage: "ga", enabled: true, locked: true }
      ]
    )
    assert.isFalse(featureGatesOf(releases["1.4"]).GracefulNodeShutdown)
    assert.isTrue(featureGatesOf(releases["1.26"]).GracefulNodeShutdown)
  })
})

describe("feature gate settings", () => {
  const message = (settings: Readonly<Record<string, boolean>>) =>
    Result.getOrThrow(Result.flip(resolveFeatureGates(defaultRelease, settings))).message

  it("override defaults, one by one or by stage", () => {
    const gates = Result.getOrThrow(resolveFeatureGates(defaultRelease, { AllAlpha: true, MemoryQoS: false }))
    assert.isTrue(gates.TaintTolerationComparisonOperators)
    assert.isFalse(gates.MemoryQoS)
    assert.isTrue(gates.GracefulNodeShutdown)
  })

  it("are refused for unknown and locked gates, and for a gate without the one that it requires", () => {
    assert.strictEqual(message({ Nonsense: true }), "unrecognized feature gate: Nonsense")
    assert.strictEqual(
      message({ NodeSwap: false }),
      "cannot set feature gate NodeSwap to false, feature is locked to true"
    )
    assert.match(message({ GracefulNodeShutdown: false }), /depends on features that are disabled/)
  })
})
