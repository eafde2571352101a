import type { Kubelet, KubeletHealth } from "@rollcall/kubelet"
import { type HealthCheck, type HealthChecks, ping } from "./HealthCheck.ts"

/** What one kubelet of these says, and how many say something. */
const firstProblem = (kubelets: Iterable<Pick<Kubelet, "health" | "name">>, about: keyof KubeletHealth) => {
  let first: string | undefined
  let count = 0
  let all = 0
  for (const kubelet of kubelets) {
    all++
    const problem = kubelet.health()[about]
    if (problem === undefined) continue
    first ??= `${kubelet.name}: ${problem}`
    count++
  }
  return first === undefined || all === 1 ? first : `${count} of ${all} kubelets; ${first}`
}

/**
 * What kubelets say of their health: `ping` and `syncloop` as upstream's. A kubelet that its API server refuses, or cannot be
 * reached, is healthy by these, as upstream's is; so `/readyz`, which upstream does not have, asks whether its node is
 * registered, its Lease renewed and its status posted. Upstream: pkg/kubelet/server/server.go.
 */
export const kubeletChecks =
  (kubelets: () => Iterable<Pick<Kubelet, "health" | "name">> | undefined): HealthChecks =>
  (endpoint) => {
    const check = (name: string, about: keyof KubeletHealth): HealthCheck => [
      name,
      () => {
        const made = kubelets()
        if (made !== undefined) return firstProblem(made, about)
        return about === "registration" ? "no kubelet has started yet" : undefined
      }
    ]
    const health = [ping, check("syncloop", "syncLoop")]
    if (endpoint !== "readyz") return health
    return [
      ...health,
      check("node-registration", "registration"),
      check("node-lease", "lease"),
      check("node-status", "status")
    ]
  }
