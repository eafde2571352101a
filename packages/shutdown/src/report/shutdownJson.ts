import type { Pod } from "@rollcall/api"
import type { PlannedPod, ShutdownPhase } from "../plan/planShutdown.ts"
import type { ShutdownReport } from "./ShutdownReport.ts"

const podOf = ({ cutShort, graceSeconds, pod, priority }: PlannedPod<Pod>) => ({
  namespace: pod.metadata.namespace,
  name: pod.metadata.name,
  priority,
  terminationGracePeriodSeconds: pod.spec.terminationGracePeriodSeconds,
  graceSeconds,
  cutShort
})

const phaseOf = ({ pods, ...phase }: ShutdownPhase<Pod>) => ({ ...phase, pods: pods.map(podOf) })

/** Renders the plan and its findings as JSON. */
export const renderShutdownJson = ({ findings, node, plan, release }: ShutdownReport): string => {
  const { phases, ...times } = plan
  const result = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ShutdownPlan",
    ...(node === "" ? {} : { node }),
    release: release.name,
    ...times,
    phases: phases.map(phaseOf),
    findings
  }
  return `${JSON.stringify(result, undefined, 2)}\n`
}
