import type { Env } from "../internal/Env.ts"
import type { Containers } from "../pod/Containers.ts"
import type { PodRecord } from "../pod/PodRecord.ts"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import { ProbeManager } from "./ProbeManager.ts"

/**
 * Goes on with the readiness probes of a pod that is being stopped, and ends its other probes. `changed` receives the
 * pod's containers after a check that changes them. Upstream: pkg/kubelet/kubelet.go SyncTerminatingPod,
 * pkg/kubelet/prober/prober_manager.go StopLivenessAndStartup.
 */
export const probeWhileStopping = (
  env: Env,
  runtime: PodRuntime,
  record: PodRecord,
  changed: (containers: Containers) => void
): void => {
  const { lifecycle } = record
  if (lifecycle === undefined) return
  for (const tracked of lifecycle.containers) tracked.probes = tracked.probes.filter(({ kind }) => kind === "readiness")
  const probes = new ProbeManager(env, runtime)
  const schedule = () => {
    const nextMs = probes.nextMs(lifecycle)
    if (nextMs === Number.POSITIVE_INFINITY) return
    lifecycle.timer = env.timers.at(nextMs, () => {
      lifecycle.timer = undefined
      if (record.stage !== "stopping" || record.lifecycle !== lifecycle) return
      const before = record.containers
      const after = probes.runDueChecks(record, lifecycle, before, () => {})
      if (after !== before) changed(after)
      schedule()
    })
  }
  schedule()
}
