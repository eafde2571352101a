import { releases } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { nodeLifecycleSettings } from "../../src/index.ts"

describe("settings of the node lifecycle controller", () => {
  it("are those of the release by default", () => {
    assert.deepInclude(nodeLifecycleSettings(), {
      nodeMonitorPeriodMs: 5000,
      nodeMonitorGracePeriodMs: 50_000,
      nodeStartupGracePeriodMs: 60_000,
      nodeEvictionRate: 0.1,
      secondaryNodeEvictionRate: 0.01,
      largeClusterSizeThreshold: 50,
      unhealthyZoneThreshold: 0.55
    })
    assert.strictEqual(nodeLifecycleSettings({}, releases["1.31"]).nodeMonitorGracePeriodMs, 40_000)
  })
})
