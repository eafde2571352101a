import type { Kubelet, KubeletHealth } from "@rollcall/kubelet"
import { type HealthCheck, type HealthChecks, ping } from "@rollcall/time"

/** Returns the first problem of these kubelets, and the number of kubelets with one. */
const firstProblem = (kubelets: Iterable<Pick<Kubelet, "health" | "name">>, aspect: keyof KubeletHealth) => {
  let first: string | undefined
  let count = 0
  let all = 0
  for (const kubelet of kubelets) {
    all++
    const problem = kubelet.health()[aspect]
    if (problem === undefined) continue
    first ??= `${kubelet.name}: ${problem}`
    count++
  }
  return first === undefined || all === 1 ? first : `${count} of ${all} kubelets; ${first}`
}

/**
 * Returns the checks of kubelets: `ping` and `syncloop` as upstream. By these, a kubelet whose API server rejects it or
 * cannot be reached is healthy, as upstream; so `/readyz`, which upstream does not have, checks whether its node is
 * registered, its Lease renewed and its status posted. Upstream: pkg/kubelet/server/server.go.
 */
export const kubeletChecks =
  (kubelets: () => Iterable<Pick<Kubelet, "health" | "name">> | undefined): HealthChecks =>
  (endpoint) => {
    const check = (name: string, aspect: keyof KubeletHealth): HealthCheck => ({
      name,
      problem: () => {
        const created = kubelets()
        if (created !== undefined) return firstProblem(created, aspect)
        return aspect === "registration" ? "no kubelet has started yet" : undefined
      }
    })
    const health = [ping, check("syncloop", "syncLoop")]
    if (endpoint !== "readyz") return health
    return [
      ...health,
      check("node-registration", "registration"),
      check("node-lease", "lease"),
      check("node-status", "status")
    ]
  }
