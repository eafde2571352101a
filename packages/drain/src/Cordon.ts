import type { Node } from "@rollcall/api"
import type { ClusterError, ClusterShape } from "@rollcall/cluster"
import * as Effect from "effect/Effect"

/** The part of a cluster that is needed here. */
export type CordonCluster = Pick<ClusterShape, "patch">

export interface CordonOptions {
  /** Ask the server what it would do, and change nothing. */
  readonly dryRun?: boolean
}

/** The patch that makes a node unschedulable, or schedulable; undefined when it is so already. */
export const cordonPatch = (node: Node, unschedulable: boolean): object | undefined =>
  (node.spec?.unschedulable ?? false) === unschedulable
    ? undefined
    : { spec: { unschedulable: unschedulable ? true : null } }

/**
 * Makes a node unschedulable or schedulable; whether anything had to change.
 * Upstream: staging/src/k8s.io/kubectl/pkg/drain/cordon.go.
 */
export const setUnschedulable = (
  cluster: CordonCluster,
  node: Node,
  unschedulable: boolean,
  options: CordonOptions = {}
): Effect.Effect<boolean, ClusterError> => {
  const patch = cordonPatch(node, unschedulable)
  if (patch === undefined) return Effect.succeed(false)
  return cluster
    .patch("Node", { name: node.metadata.name ?? "" }, "strategic", patch, { dryRun: options.dryRun ?? false })
    .pipe(Effect.as(true))
}
