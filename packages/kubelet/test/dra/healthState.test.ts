import { makeVirtualTime } from "@rollcall/time"
import { assert, describe, it } from "vitest"
import { DeviceReports } from "../../src/dra/DeviceReports.ts"
import { healthStateOf, healthStateText } from "../../src/dra/healthState.ts"
import type { DeviceHealth, HealthCheckpoint, HealthListener } from "../../src/index.ts"

const START = Date.UTC(2026, 0, 1)
const DRIVER = "gpu.example.com"
const device = { poolName: "n1", deviceName: "gpu-0" }

/** A node whose kubelet's process may end, and begin again. */
const setUp = (kept?: string) => {
  const time = makeVirtualTime(START)
  const logged: Array<string> = []
  const file = { text: kept, isBroken: false }
  const healthCheckpoint: HealthCheckpoint = {
    read: () => file.text,
    write: (text) => {
      if (file.isBroken) throw new Error("disk full")
      file.text = text
    }
  }
  const startProcess = () => {
    let listener: HealthListener = () => assert.fail("no listener")
    const reports = new DeviceReports({
      node: "n1",
      drivers: { healthCheckpoint, watchHealth: (_, told) => (listener = told) },
      log: (severity, message, { err } = {}) => logged.push(`${severity} ${message} ${err}`),
      timers: time.timers,
      isPrepared: () => true,
      changed: () => {}
    })
    return {
      report: (health: DeviceHealth["health"], more: Partial<DeviceHealth> = {}) =>
        listener(DRIVER, [{ ...device, health, ...more }]),
      end: () => listener(DRIVER, undefined),
      health: () => reports.healthOf(DRIVER, device)
    }
  }
  return { file, logged, startProcess, untilMs: (ms: number) => time.runUntil(START + ms) }
}

describe("the health of devices over a new process of the kubelet", () => {
  it("is what the driver has said last, as long as that counts", () => {
    const { file, startProcess, untilMs } = setUp()
    startProcess().report("Unhealthy", { message: "too hot", timeoutMs: 60_000 })
    assert.strictEqual(
      file.text,
      '{"gpu.example.com":{"Devices":{"n1/gpu-0":{"PoolName":"n1","DeviceName":"gpu-0","Health":"Unhealthy",' +
        '"LastUpdated":"2026-01-01T00:00:00.000000Z","HealthCheckTimeout":60000000000,"Message":"too hot"}}}}'
    )
    untilMs(50_000)
    const next = startProcess()
    assert.deepInclude(next.health(), { health: "Unhealthy", message: "too hot" })
    untilMs(60_001)
    assert.strictEqual(next.health().health, "Unknown")
  })

  it("is not known if the driver had ended its reports", () => {
    const { startProcess } = setUp()
    const first = startProcess()
    first.report("Healthy")
    first.end()
    assert.strictEqual(startProcess().health().health, "Unknown")
  })

  it("is read as upstream writes it", () => {
    const text =
      '{"d":{"Devices":{"p/x":{"PoolName":"p","DeviceName":"x","Health":"Healthy","LastUpdated":"2026-01-01T01:00:00.123456789+01:00","HealthCheckTimeout":0,"Message":""}}},"e":{"Devices":null}}'
    const state = healthStateOf(text)
    const { atMs, report } = state.get("d")?.get("p/x") ?? assert.fail("no device")
    assert.deepStrictEqual(report, { poolName: "p", deviceName: "x", health: "Healthy" })
    assert.approximately(atMs, START + 123, 1)
    assert.deepStrictEqual(healthStateOf(healthStateText(state)).get("d")?.get("p/x")?.report, report)
  })

  it("is begun anew if the file is no such state, or cannot be written", () => {
    for (const text of ["{", "[]", '{"d":1}', '{"d":{"Devices":{"p/x":{"Health":"Fine"}}}}']) {
      const { file, logged, startProcess } = setUp(text)
      const { health, report } = startProcess()
      assert.match(logged.join(), /^error Failed to load health checkpoint, proceeding with empty cache \w*Error/)
      file.isBroken = true
      report("Healthy")
      assert.strictEqual(health().health, "Healthy")
      assert.match(logged[1] ?? "", /^error Failed to save health checkpoint after update\. .* Error: disk full$/)
    }
  })
})
