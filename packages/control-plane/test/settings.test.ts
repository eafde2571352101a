import { readSettingFlags } from "@rollcall/flags/settings"
import { type InvalidInput, readConfig } from "@rollcall/input"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { controllerManagerSettings } from "../src/settings/components.ts"

const valuesOrProblems = (result: Result.Result<unknown, InvalidInput>) =>
  Result.match(result, { onSuccess: (values) => values, onFailure: (error) => error.message })

const readWithWarnings = (config: unknown) => {
  const warnings: Array<string> = []
  const place = { file: "s.yaml", path: "spec.config.c" }
  return { answer: valuesOrProblems(readConfig(controllerManagerSettings, place, config, warnings)), warnings }
}
const readFlagsWithWarnings = (...given: ReadonlyArray<string>) => {
  const warnings: Array<string> = []
  const place = { file: "s.yaml", path: "flags" }
  return {
    answer: valuesOrProblems(
      readSettingFlags("kube-controller-manager", controllerManagerSettings, place, given, warnings)
    ),
    warnings
  }
}

describe("a component's configuration", () => {
  it("is read by the fields of its file; durations become milliseconds", () => {
    const { answer: values, warnings } = readWithWarnings({
      apiVersion: "kubecontrollermanager.config.k8s.io/v1alpha1",
      kind: "KubeControllerManagerConfiguration",
      nodeLifecycleController: {
        nodeMonitorGracePeriod: "1m30s",
        nodeEvictionRate: 0.5,
        largeClusterSizeThreshold: 10
      },
      kubeCloudShared: { nodeMonitorPeriod: 2.5 },
      generic: { clientConnection: { qps: 100, burst: 200 } }
    })
    assert.deepStrictEqual(values, {
      nodeMonitorGracePeriodMs: 90_000,
      nodeEvictionRate: 0.5,
      largeClusterSizeThreshold: 10,
      nodeMonitorPeriodMs: 2_500,
      qps: 100,
      burst: 200
    })
    assert.deepStrictEqual(warnings, [])
  })

  it("may hold fields without effect here, which are reported", () => {
    assert.deepStrictEqual(readWithWarnings({ ttlAfterFinishedController: { concurrentTTLSyncs: 5 } }), {
      answer: {},
      warnings: [
        "s.yaml: spec.config.c.ttlAfterFinishedController.concurrentTTLSyncs is not supported and has no effect"
      ]
    })
  })

  it("is refused when a value is invalid", () => {
    const at = (path: string, found: string, expected: string) =>
      `s.yaml: spec.config.c.${path}: found ${found}, expected ${expected}`
    assert.strictEqual(
      readWithWarnings({ nodeLifecycleController: { nodeMonitorGracePeriod: "soon" } }).answer,
      at("nodeLifecycleController.nodeMonitorGracePeriod", '"soon"', "a duration such as 40s or 5m")
    )
    assert.strictEqual(
      readWithWarnings({ nodeLifecycleController: { largeClusterSizeThreshold: 1.5 } }).answer,
      at("nodeLifecycleController.largeClusterSizeThreshold", "1.5", "a whole number")
    )
    assert.strictEqual(
      readWithWarnings({ nodeLifecycleController: { nodeEvictionRate: "0.1" } }).answer,
      at("nodeLifecycleController.nodeEvictionRate", '"0.1"', "a number of at least 0")
    )
  })
})

describe("a component's configuration with several mistakes", () => {
  it("reports all of them at once", () => {
    assert.strictEqual(
      readWithWarnings({
        nodeLifecycleController: { nodeEvictionRate: -1, nodeMonitorPeriod: "5s" },
        kubeCloudShared: { clusterCDIR: "10.0.0.0/8" }
      }).answer,
      [
        "s.yaml: spec.config.c.nodeLifecycleController.nodeEvictionRate: found -1, expected a number of at least 0",
        's.yaml: spec.config.c.nodeLifecycleController.nodeMonitorPeriod: unknown field; did you mean "kubeCloudShared.nodeMonitorPeriod"?',
        's.yaml: spec.config.c.kubeCloudShared.clusterCDIR: unknown field; did you mean "kubeCloudShared.clusterCIDR"?'
      ].join("\n")
    )
  })

  it("is refused when it is not an object", () => {
    assert.strictEqual(readWithWarnings("x").answer, 's.yaml: spec.config.c: found "x", expected an object')
  })
})

describe("a component's flags", () => {
  it("set the same things", () => {
    assert.deepStrictEqual(
      readFlagsWithWarnings(
        "--node-monitor-grace-period=90s",
        "--node-eviction-rate=.5",
        "--kube-api-burst=40",
        "--kube-api-qps=1e2"
      ),
      { answer: { nodeMonitorGracePeriodMs: 90_000, nodeEvictionRate: 0.5, burst: 40, qps: 100 }, warnings: [] }
    )
  })

  it("the last one counts", () => {
    assert.deepStrictEqual(readFlagsWithWarnings("--kube-api-qps=1", "--kube-api-qps=2").answer, { qps: 2 })
  })

  it("without effect here are reported", () => {
    assert.deepStrictEqual(readFlagsWithWarnings("--cluster-signing-duration=1h", "--profiling"), {
      answer: {},
      warnings: [
        "s.yaml: flags[0]: --cluster-signing-duration is not supported and has no effect",
        "s.yaml: flags[1]: --profiling is not supported and has no effect"
      ]
    })
  })

  it("are refused when they, or their values, are invalid", () => {
    assert.strictEqual(
      readFlagsWithWarnings("node-eviction-rate=1").answer,
      's.yaml: flags[0]: kube-controller-manager does not take any arguments, got ["node-eviction-rate=1"]'
    )
    assert.strictEqual(
      readFlagsWithWarnings("--kube-api-qps=1", "--node-eviction-rate=").answer,
      's.yaml: flags[1]: invalid argument "" for "--node-eviction-rate" flag: strconv.ParseFloat: parsing "": invalid syntax; expected a number of at least 0'
    )
    assert.strictEqual(
      readFlagsWithWarnings("--kube-api-burst=3.5").answer,
      's.yaml: flags[0]: invalid argument "3.5" for "--kube-api-burst" flag: strconv.ParseInt: parsing "3.5": invalid syntax; expected a whole number'
    )
  })
})
