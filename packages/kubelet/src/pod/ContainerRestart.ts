import type { Container, ContainerRestartRule, PodSpec } from "@rollcall/api"

type RestartPolicy = PodSpec["restartPolicy"]

const RESTART_ALL = "RestartAllContainers"

/** Whether the container is a sidecar: an init container that keeps running beside the regular ones. */
export const isSidecar = (container: Container): boolean => container.restartPolicy === "Always"

/** Whether the policy restarts the container; undefined for an absent or unknown policy. */
const restartsByPolicy = (policy: RestartPolicy, exitCode: number): boolean | undefined => {
  switch (policy) {
    case "Always":
      return true
    case "OnFailure":
      return exitCode !== 0
    case "Never":
      return false
    default:
      return undefined
  }
}

const matches = ({ exitCodes }: ContainerRestartRule, exitCode: number): boolean => {
  if (exitCodes === undefined) return false
  const isListed = exitCodes.values?.includes(exitCode) ?? false
  if (exitCodes.operator === "In") return isListed
  return exitCodes.operator === "NotIn" && !isListed
}

/** Returns the first rule of the container for this exit code. A container without a restart policy has none. */
const ruleFor = (
  { restartPolicy, restartPolicyRules }: Container,
  exitCode: number
): ContainerRestartRule | undefined =>
  restartPolicy === undefined ? undefined : restartPolicyRules?.find((rule) => matches(rule, exitCode))

/** Whether the exit of this container restarts all containers of its pod. */
export const restartsAllContainers = (container: Container, exitCode: number): boolean =>
  ruleFor(container, exitCode)?.action === RESTART_ALL

/**
 * Whether a container is restarted that the kubelet has stopped, whatever its exit code is. Upstream: kuberuntime_manager.go,
 * computePodActions.
 */
export const restartsWhenStopped = ({ restartPolicy }: Container, podPolicy: RestartPolicy): boolean =>
  (restartPolicy ?? podPolicy) !== "Never"

/**
 * Whether a container that exited with this code is restarted. A matching rule of the container restarts it, if the
 * container also has a restart policy; otherwise its policy decides, then the pod's, which defaults to Always.
 * Upstream: pkg/api/v1/pod/util.go ContainerShouldRestart (KEP-5307, KEP-5532).
 */
export const containerShouldRestart = (container: Container, podPolicy: RestartPolicy, exitCode: number): boolean => {
  if (container.restartPolicy !== undefined) {
    if (ruleFor(container, exitCode) !== undefined) return true
    const restarts = restartsByPolicy(container.restartPolicy, exitCode)
    if (restarts !== undefined) return restarts
  }
  return restartsByPolicy(podPolicy, exitCode) ?? true
}
