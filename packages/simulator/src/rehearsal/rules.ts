import { apiServerSettings, controllerManagerSettings } from "@rollcall/control-plane"
import { settingsInEffect } from "@rollcall/input"
import { modelUpstream } from "@rollcall/kubelet"
import type { Plan } from "../input/Plan.ts"
import type { Rules } from "../Result.ts"

/** A kubelet renews its Lease after a quarter of its duration. Upstream: pkg/kubelet/kubelet.go. */
const RENEWALS_PER_LEASE = 4
/** The interval of status updates, which are the heartbeats of kubelets in releases without Leases. */
const STATUS_UPDATE_SECONDS = 10

/** Returns the settings by which the control plane of a plan handles lost nodes. */
export const rulesOf = ({
  elections: { controllerManager: election },
  kubelet,
  release,
  settings
}: Pick<Plan, "elections" | "kubelet" | "release" | "settings">): Rules => {
  const manager = settingsInEffect(controllerManagerSettings, settings.controllerManager, release)
  const apiServer = settingsInEffect(apiServerSettings, settings.apiServer, release)
  const { podEvictionTimeoutMs } = manager
  return {
    release: release.name,
    grace: manager.nodeMonitorGracePeriodMs / 1000,
    period: manager.nodeMonitorPeriodMs / 1000,
    heartbeat: release.nodeLeases
      ? (kubelet.nodeLeaseDurationSeconds ?? 40) / RENEWALS_PER_LEASE
      : STATUS_UPDATE_SECONDS,
    rate: manager.nodeEvictionRate,
    secondaryRate: manager.secondaryNodeEvictionRate,
    largeSize: manager.largeClusterSizeThreshold,
    unhealthyShare: manager.unhealthyZoneThreshold,
    ...(release.podEviction === "deletion" && podEvictionTimeoutMs !== undefined
      ? { evictionTimeout: podEvictionTimeoutMs / 1000 }
      : {}),
    toleration: apiServer.defaultUnreachableTolerationSeconds,
    notReadyToleration: apiServer.defaultNotReadyTolerationSeconds,
    leaderElect: election.leaderElect,
    leaseDuration: election.leaseDurationMs / 1000,
    renewDeadline: election.renewDeadlineMs / 1000,
    runtimeCheck: modelUpstream.runtimeCheckMs / 1000,
    runtimeDownAfter: modelUpstream.runtimeDownAfterMs / 1000
  }
}
