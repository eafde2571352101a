import type { Displaced, NodeDrain, PodDrain } from "../plan/DrainPlan.ts"
import type { DrainReport } from "./DrainReport.ts"

/** A pod of the report: it is named by namespace and name, and `says` is the message of the filter. */
const podOf = ({ by, graceSeconds, pod, verdict, ...rest }: PodDrain) => ({
  namespace: pod.metadata.namespace,
  name: pod.metadata.name,
  ...(by === undefined ? { stays: true } : { by, graceSeconds }),
  ...(verdict.message === "" ? {} : { says: verdict.message }),
  ...rest
})

const nodeOf = ({ pods, ...node }: NodeDrain) => ({ ...node, pods: pods.map(podOf) })

const displacedOf = ({ pod, ...rest }: Displaced) => ({
  namespace: pod.metadata.namespace,
  name: pod.metadata.name,
  ...rest
})

/** Renders the plan as JSON. Moments are seconds since the drain began; an absent one never comes. */
export const renderDrainJson = ({ gaps, plan: { displaced, nodes, ...plan } }: DrainReport): string => {
  const result = {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "DrainPlan",
    ...plan,
    nodes: nodes.map(nodeOf),
    ...(displaced.length === 0 ? {} : { displaced: displaced.map(displacedOf) }),
    ...(gaps.length === 0 ? {} : { gaps })
  }
  return `${JSON.stringify(result, undefined, 2)}\n`
}
