import type { Container, Pod } from "@rollcall/api"
import type { Env } from "../internal/Env.ts"
import type { PodRuntime } from "../runtime/PodRuntime.ts"
import { type Containers, ephemeralCreating, ephemeralStarted } from "./Containers.ts"
import { recordPresentImage, recordStart } from "./PodEvents.ts"
import type { PodRecord } from "./PodRecord.ts"

const ephemeralNamed = ({ spec }: Pod, name: string): Container | undefined =>
  spec.ephemeralContainers?.find((container) => container.name === name)

export const isEphemeral = (pod: Pod, name: string): boolean => ephemeralNamed(pod, name) !== undefined

/**
 * Starts the ephemeral containers that a running pod has got. Each is started once, and never again. Returns the statuses
 * of all containers. Upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go, SyncPod, step 6.
 */
export const startEphemeral = (runtime: PodRuntime, record: PodRecord): Containers => {
  const before = record.containers
  let containers = before
  for (const container of record.pod.spec.ephemeralContainers ?? []) {
    if (runtime.containers === undefined || before.ephemeral?.some(({ name }) => name === container.name)) continue
    containers = ephemeralCreating(containers, container)
    runtime.containers.startContainer(record.pod, container.name, false, record)
  }
  return containers
}

/** Records that an ephemeral container runs. Returns the statuses, or undefined if the container is none. */
export const startedEphemeral = (env: Env, record: PodRecord, name: string): Containers | undefined => {
  const container = ephemeralNamed(record.pod, name)
  if (container === undefined) return undefined
  const { config, recorder } = env
  const isVerified = config.featureGates.KubeletEnsureSecretPulledImages
  recordPresentImage(recorder, record.pod, container, "ephemeralContainers", isVerified)
  recordStart(recorder, record.pod, container, "ephemeralContainers")
  return ephemeralStarted(record.pod, record.containers, name, env.wallTime())
}
