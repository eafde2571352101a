import type { Pod } from "@rollcall/api"
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import { makeAdmissionMeter } from "./admission/metrics.ts"
import { gaugeResizes, makeResizeMeter } from "./allocation/metrics.ts"
import { makeCredentialMeter } from "./credentials/metrics.ts"
import { makeEvictionMeter } from "./eviction/metrics.ts"
import { makeImageMeter } from "./images/metrics.ts"
import type { Kubelet } from "./Kubelet.ts"
import type { KubeletMeter } from "./KubeletMeter.ts"

/** Returns a meter that updates the metrics of a context. */
export const makeKubeletMeter = (context: Context.Context<never>): KubeletMeter => ({
  ...makeAdmissionMeter(context),
  ...makeCredentialMeter(context),
  ...makeEvictionMeter(context),
  ...makeImageMeter(context),
  ...makeResizeMeter(context)
})

const nodeName = Metric.gauge("kubelet_node_name", {
  description: "[ALPHA] The node of a kubelet of this process; the value is 1."
})
const credentialConfig = Metric.gauge("kubelet_credential_provider_config_info", {
  description: "[ALPHA] Information about the last applied credential provider configuration with hash as label"
})
const runningPods = Metric.gauge("kubelet_running_pods", {
  description: "[ALPHA] Number of pods that have a running pod sandbox"
})
const runningContainers = Metric.gauge("kubelet_running_containers", {
  description: "[ALPHA] Number of containers currently running"
})
const desiredPods = Metric.gauge("kubelet_desired_pods", {
  description:
    "[ALPHA] The number of pods the kubelet is being instructed to run. static is true if the pod is not from the apiserver."
})
const activePods = Metric.gauge("kubelet_active_pods", {
  description:
    "[ALPHA] The number of pods the kubelet considers active and which are being considered when admitting new pods. static is true if the pod is not from the apiserver."
})
const mirrorPods = Metric.gauge("kubelet_mirror_pods", {
  description: "[ALPHA] The number of mirror pods the kubelet will try to create (one per admitted static pod)"
})

const fromManifest = { static: "true" } as const
const fromApi = { static: "" } as const

/** Shows the hash of the configuration of credential plugins. Upstream: pkg/credentialprovider/plugin/metrics.go. */
export const gaugeCredentialConfig = (hash: string, context: Context.Context<never>): void =>
  credentialConfig.pipe(Metric.withAttributes({ hash })).updateUnsafe(1, context)

/**
 * Sets the gauges to the sums over the kubelets of a process. To be called before the metrics are read.
 * Upstream: pkg/kubelet/metrics/metrics.go.
 */
export const gaugeKubelets = (
  kubelets: Iterable<Pick<Kubelet, "pods" | "activePods" | "name">>,
  context: Context.Context<never>
): void => {
  const counts = { running: 0, containers: 0, desired: 0, desiredStatic: 0, active: 0, activeStatic: 0 }
  const pods: Array<Pod> = []
  for (const kubelet of kubelets) {
    nodeName.pipe(Metric.withAttributes({ node: kubelet.name })).updateUnsafe(1, context)
    for (const { hasContainers, isStatic, stage } of kubelet.pods()) {
      if (stage === "running" || stage === "stopping") counts.running++
      if (isStatic) counts.desiredStatic++
      else counts.desired++
      if (!hasContainers) continue
      if (isStatic) counts.activeStatic++
      else counts.active++
    }
    for (const pod of kubelet.activePods()) {
      counts.containers += pod.spec.containers.length
      pods.push(pod)
    }
  }
  runningPods.updateUnsafe(counts.running, context)
  runningContainers.pipe(Metric.withAttributes({ container_state: "running" })).updateUnsafe(counts.containers, context)
  desiredPods.pipe(Metric.withAttributes(fromApi)).updateUnsafe(counts.desired, context)
  desiredPods.pipe(Metric.withAttributes(fromManifest)).updateUnsafe(counts.desiredStatic, context)
  activePods.pipe(Metric.withAttributes(fromApi)).updateUnsafe(counts.active, context)
  activePods.pipe(Metric.withAttributes(fromManifest)).updateUnsafe(counts.activeStatic, context)
  mirrorPods.updateUnsafe(counts.activeStatic, context)
  gaugeResizes(pods, context)
}
