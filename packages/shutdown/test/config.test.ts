import { assert, describe, it } from "vitest"
import { logindOverrideText, type ShutdownConfig } from "../src/index.ts"
import { migrateConfig, shutdownBuckets, validateShutdownConfig } from "../src/rules.ts"

const bothGates = { GracefulNodeShutdown: true, GracefulNodeShutdownBasedOnPodPriority: true }
const list = [{ priority: 0, shutdownGracePeriodSeconds: 1 }]

const config = (
  totalMs: number,
  criticalMs: number,
  byPriority: ShutdownConfig["shutdownGracePeriodByPodPriority"] = [],
  featureGates = bothGates
): ShutdownConfig => ({
  shutdownGracePeriodMs: totalMs,
  shutdownGracePeriodCriticalPodsMs: criticalMs,
  shutdownGracePeriodByPodPriority: byPriority,
  featureGates
})

describe("validateShutdownConfig", () => {
  const errorsOf = (...given: Parameters<typeof config>) =>
    validateShutdownConfig(config(...given)).map((error) => error.replace("invalid configuration: ", ""))

  it("accepts consistent settings", () => {
    assert.deepStrictEqual(errorsOf(0, 0), [])
    assert.deepStrictEqual(errorsOf(30_000, 10_000), [])
    assert.deepStrictEqual(errorsOf(10_000, 10_000), [])
    assert.deepStrictEqual(errorsOf(1000, 1000), [])
    assert.deepStrictEqual(errorsOf(0, 0, list), [])
  })

  it("prefixes its errors", () => {
    assert.deepStrictEqual(validateShutdownConfig(config(10_000, 30_000)), [
      "invalid configuration: shutdownGracePeriodCriticalPods {30s} must be <= shutdownGracePeriod {10s}"
    ])
  })

  it("refuses a period below a second, or below zero", () => {
    const total = "shutdownGracePeriod {500ms} must be either zero or otherwise >= 1 sec"
    const critical = "shutdownGracePeriodCriticalPods {500ms} must be either zero or otherwise >= 1 sec"
    assert.deepStrictEqual(errorsOf(500, 0), [total])
    assert.deepStrictEqual(errorsOf(30_000, 500), [critical])
    assert.deepStrictEqual(errorsOf(500, 500), [total, critical])
    assert.deepStrictEqual(errorsOf(30_000, -1000), [
      "shutdownGracePeriodCriticalPods {-1s} must be either zero or otherwise >= 1 sec"
    ])
    assert.deepStrictEqual(errorsOf(-1000, -1000), [
      "shutdownGracePeriod {-1s} must be either zero or otherwise >= 1 sec",
      "shutdownGracePeriodCriticalPods {-1s} must be either zero or otherwise >= 1 sec"
    ])
  })

  it("refuses a setting whose feature gate is off", () => {
    const off = { GracefulNodeShutdown: false, GracefulNodeShutdownBasedOnPodPriority: false }
    const plain =
      "specifying shutdownGracePeriod or shutdownGracePeriodCriticalPods requires feature gate GracefulNodeShutdown"
    const byPriority =
      "Specifying shutdownGracePeriodByPodPriority requires feature gate GracefulNodeShutdownBasedOnPodPriority"
    assert.deepStrictEqual(errorsOf(30_000, 0, [], off), [plain])
    assert.deepStrictEqual(errorsOf(0, 10_000, [], off), [plain])
    assert.deepStrictEqual(errorsOf(0, 0, list, off), [byPriority])
    assert.deepStrictEqual(errorsOf(0, 0, [], off), [])
    assert.deepStrictEqual(errorsOf(30_000, 0, list, off), [plain, byPriority])
  })

  it("refuses both kinds of settings together", () => {
    const text = "Cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod at the same time"
    assert.deepStrictEqual(errorsOf(30_000, 0, list), [text])
  })
})

describe("the two plain settings as buckets", () => {
  const secondsOf = (totalMs: number, criticalMs: number) =>
    migrateConfig(totalMs, criticalMs).map(({ shutdownGracePeriodSeconds }) => shutdownGracePeriodSeconds)

  it("are each cut to whole seconds, and are empty without a total or when critical pods get more than it", () => {
    assert.deepStrictEqual(secondsOf(30_000, 10_000), [20, 10])
    assert.deepStrictEqual(secondsOf(30_900, 10_500), [20, 10])
    assert.deepStrictEqual(secondsOf(10_000, 10_000), [0, 10])
    assert.deepStrictEqual(secondsOf(10_000, 0), [10, 0])
    assert.deepStrictEqual(secondsOf(0, 0), [])
    assert.deepStrictEqual(secondsOf(10_000, 30_000), [])
    assert.deepStrictEqual(secondsOf(10_000, -1000), [])
    assert.deepStrictEqual(secondsOf(-5000, -1000), [])
  })

  it("are replaced by the list, by ascending priority, where its gate is on", () => {
    const mixed = [
      { priority: 10, shutdownGracePeriodSeconds: 1 },
      { priority: 0, shutdownGracePeriodSeconds: 2 }
    ]
    assert.deepStrictEqual(
      shutdownBuckets(config(30_000, 0, mixed)).map(({ priority }) => priority),
      [0, 10]
    )
    const plainOnly = { GracefulNodeShutdown: true, GracefulNodeShutdownBasedOnPodPriority: false }
    assert.strictEqual(shutdownBuckets(config(30_000, 0, mixed, plainOnly))[0]?.shutdownGracePeriodSeconds, 30)
    assert.deepStrictEqual(shutdownBuckets(config(30_000, 0, mixed, { ...bothGates, GracefulNodeShutdown: false })), [])
  })
})

it("the override of logind has whole seconds", () => {
  assert.strictEqual(logindOverrideText(30), "# Kubelet logind override\n[Login]\nInhibitDelayMaxSec=30\n")
})
