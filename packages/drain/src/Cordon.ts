import type { Node } from "@rollcall/api"
import type { ClusterError, ClusterShape } from "@rollcall/cluster"
import * as Effect from "effect/Effect"

/** The cluster operations that cordoning needs. */
export type CordonCluster = Pick<ClusterShape, "patch">

export interface CordonOptions {
  /** Send the request with `dryRun`: the server changes nothing. */
  readonly dryRun?: boolean
}

/** The strategic merge patch that makes a node unschedulable, or schedulable; undefined if it already is. */
export const cordonPatch = (node: Node, unschedulable: boolean): object | undefined =>
  (node.spec?.unschedulable ?? false) === unschedulable
    ? undefined
    : { spec: { unschedulable: unschedulable ? true : null } }

/**
 * Makes a node unschedulable or schedulable. Returns false if it was already, so that no request was sent.
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
