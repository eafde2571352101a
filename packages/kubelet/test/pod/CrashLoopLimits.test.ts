import { assert, it } from "vitest"
import { kubeletConfig } from "../../src/index.ts"
import { crashLoopLimits } from "../../src/pod/CrashLoopBackOff.ts"

const limits = (gates: Readonly<Record<string, boolean>>, maxContainerRestartPeriodMs = 300_000) => {
  const { featureGates } = kubeletConfig()
  const { initialMs, maxMs } = crashLoopLimits(
    kubeletConfig({ maxContainerRestartPeriodMs, featureGates: { ...featureGates, ...gates } })
  )
  return [initialMs, maxMs]
}

it("a crash loop waits 10 s to 5 min, less where a gate or the configuration says so", () => {
  const off = { KubeletCrashLoopBackOffMax: false, ReduceDefaultCrashLoopBackOffDecay: false }
  assert.deepStrictEqual(limits(off), [10_000, 300_000])
  assert.deepStrictEqual(limits({ ...off, ReduceDefaultCrashLoopBackOffDecay: true }), [1_000, 60_000])
  assert.deepStrictEqual(limits({ ...off, KubeletCrashLoopBackOffMax: true }, 5_000), [5_000, 5_000])
  const both = { KubeletCrashLoopBackOffMax: true, ReduceDefaultCrashLoopBackOffDecay: true }
  assert.deepStrictEqual(limits(both, 20_000), [1_000, 20_000])
})
