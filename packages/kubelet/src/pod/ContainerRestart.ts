import type { Container, ContainerRestartRule, PodSpec } from "@rollcall/api"

type RestartPolicy = PodSpec["restartPolicy"]

/** Whether the container is a sidecar: an init container that keeps running beside the regular ones. */
export const isSidecar = (container: Container): boolean => container.restartPolicy === "Always"

const byPolicy = (policy: RestartPolicy, exitCode: number): boolean | undefined => {
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
  const listed = exitCodes.values?.includes(exitCode) ?? false
  if (exitCodes.operator === "In") return listed
  return exitCodes.operator === "NotIn" && !listed
}

/**
 * Whether a container that exited with this code is restarted. The container's first matching rule decides (only if it
 * has a policy of its own), then its policy, then the pod's, which defaults to Always.
 * Upstream: pkg/api/v1/pod/util.go ContainerShouldRestart (KEP-5307, KEP-5532).
 */
export const containerShouldRestart = (container: Container, podPolicy: RestartPolicy, exitCode: number): boolean => {
  if (container.restartPolicy !== undefined) {
    if (container.restartPolicyRules?.some((rule) => matches(rule, exitCode)) === true) return true
    const own = byPolicy(container.restartPolicy, exitCode)
    if (own !== undefined) return own
  }
  return byPolicy(podPolicy, exitCode) ?? true
}
