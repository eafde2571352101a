import { featureGatesOf, releases } from "@rollcall/api"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { assert, describe, it } from "vitest"
import { ControllerConfiguration, nodeLifecycleSettings, podGcSettings, settingsOf } from "../src/index.ts"

describe("settings", () => {
  it("are those of the release where nothing is given", () => {
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
    assert.strictEqual(podGcSettings().terminatedPodGCThreshold, 12_500)
    const off = { NodeOutOfServiceVolumeDetach: false, PodDisruptionConditions: false }
    const { disruptionTarget, outOfService } = podGcSettings({}, { ...featureGatesOf(releases["1.26"]), ...off })
    assert.deepStrictEqual([outOfService, disruptionTarget], [false, false])
    assert.isFalse(podGcSettings({}, featureGatesOf(releases["1.4"])).outOfService)
  })

  it("come from a configuration file by upstream's names", () => {
    const { nodeLifecycle, podGc } = settingsOf({
      kubeCloudShared: { nodeMonitorPeriod: "1s" },
      nodeLifecycleController: { nodeMonitorGracePeriod: "1m30s", nodeStartupGracePeriod: 12, nodeEvictionRate: 0 },
      podGCController: { terminatedPodGCThreshold: 0 }
    })
    assert.deepInclude(nodeLifecycle, {
      nodeMonitorPeriodMs: 1000,
      nodeMonitorGracePeriodMs: 90_000,
      nodeStartupGracePeriodMs: 12_000,
      nodeEvictionRate: 0,
      unhealthyZoneThreshold: 0.55
    })
    // In a file 0 means the default; a negative threshold keeps all.
    assert.strictEqual(podGc.terminatedPodGCThreshold, 12_500)
    assert.strictEqual(
      settingsOf({ podGCController: { terminatedPodGCThreshold: -1 } }).podGc.terminatedPodGCThreshold,
      -1
    )
  })

  it("refuse what is no duration", () => {
    const decode = Schema.decodeUnknownResult(ControllerConfiguration)
    assert.isTrue(Result.isFailure(decode({ kubeCloudShared: { nodeMonitorPeriod: "five" } })))
    assert.isTrue(Result.isSuccess(decode({ kubeCloudShared: { nodeMonitorPeriod: "5s" } })))
  })
})
