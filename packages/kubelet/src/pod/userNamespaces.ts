import type { Pod } from "@rollcall/api"
import type { Env } from "../internal/Env.ts"
import type { PodRecord } from "./PodRecord.ts"

const hasUserNamespace = ({ config }: Env, { spec }: Pod): boolean =>
  spec.hostUsers === false && config.featureGates.UserNamespacesSupport

/** Counts that the sandbox of a pod is made, at each attempt. Upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go, SyncPod. */
export const countSandbox = (env: Env, pod: Pod): void => {
  env.lifeCounts.add("started_pods_total", [])
  if (hasUserNamespace(env, pod)) env.lifeCounts.add("started_user_namespaced_pods_total", [])
}

/** Counts that no sandbox of a pod could be made. */
export const countSandboxFailure = (env: Env, pod: Pod): void => {
  env.lifeCounts.add("started_pods_errors_total", [])
  if (hasUserNamespace(env, pod)) env.lifeCounts.add("started_user_namespaced_pods_errors_total", [])
}

/** Counts that the sync that has made the sandbox of a pod fails: once, whatever fails of it. */
export const countSyncFailure = (env: Env, { lifecycle, pod }: PodRecord): void => {
  if (lifecycle?.makesSandbox !== true) return
  lifecycle.makesSandbox = false
  if (hasUserNamespace(env, pod)) env.lifeCounts.add("started_user_namespaced_pods_errors_total", [])
}
