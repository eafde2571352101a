import { addTaints, formatTime, type Node, removeTaints, type Taint } from "@rollcall/api"
import { type ClusterError, type ClusterShape, type ConflictBackoff, retryOnConflict } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { logFailure, taintsText } from "./failureLog.ts"
import { carriesTaint } from "./Taints.ts"

/**
 * The retries of a patch after conflicts. Upstream: pkg/controller/controller_utils.go UpdateTaintBackoff,
 * UpdateLabelBackoff; cloud-provider/node/helpers/labels.go.
 */
export const patchBackoff: ConflictBackoff = { steps: 5, durationMs: 100, factor: 1, jitter: 1 }

/**
 * Patches nodes, each read first: from the server's cache the first time, a quorum read after a conflict.
 * Upstream: pkg/controller/controller_utils.go AddOrUpdateTaintOnNode, RemoveTaintOffNode;
 * pkg/controller/util/node/controller_utils.go.
 */
export class NodePatches {
  private readonly cluster: ClusterShape
  private readonly now: () => number
  private readonly onWrite: (node: Node) => void

  /** `onWrite` is called with each node that was patched. */
  constructor(cluster: ClusterShape, now: () => number, onWrite: (node: Node) => void = () => {}) {
    this.cluster = cluster
    this.now = now
    this.onWrite = onWrite
  }

  /** Removes taints. Makes no request if the given node, possibly an old copy, has none of them. */
  remove(node: Node, taints: ReadonlyArray<Taint>): Effect.Effect<void, ClusterError> {
    if (!taints.some((taint) => carriesTaint(node, taint))) return Effect.void
    return this.patchTaints(node.metadata.name ?? "", (present) => removeTaints(present, taints))
  }

  /**
   * Adds taints, then removes others: two patches, so that a node that exchanges one for the other always has one.
   * Returns whether both succeeded.
   */
  swap(node: Node, toAdd: ReadonlyArray<Taint>, toRemove: ReadonlyArray<Taint>): Effect.Effect<boolean> {
    return Effect.suspend(() => {
      const timeAdded = formatTime(this.now())
      const added = toAdd.map((taint) => ({ ...taint, timeAdded }))
      const { name = "" } = node.metadata
      const add = added.length === 0 ? Effect.void : this.patchTaints(name, (present) => addTaints(present, added))
      const failed = (what: string) => (error: ClusterError) => `${what} unresponsive Node "${name}": ${error.message}`
      return Effect.andThen(
        Effect.mapError(add, failed(`unable to taint ${taintsText(added)}`)),
        Effect.mapError(
          this.remove(node, toRemove),
          failed(`unable to remove ${taintsText(toRemove)} unneeded taint from`)
        )
      )
    }).pipe(
      Effect.as(true),
      Effect.catch((err) => Effect.as(logFailure("Unhandled Error", err, {}), false))
    )
  }

  /** Adds taints as they are, without timeAdded. Makes no request if the given node has them all. */
  add(node: Node, taints: ReadonlyArray<Taint>): Effect.Effect<void, ClusterError> {
    if (taints.every((taint) => carriesTaint(node, taint))) return Effect.void
    return this.patchTaints(node.metadata.name ?? "", (present) => addTaints(present, taints))
  }

  /** Sets labels, even if the node has changed since it was read. */
  setLabels(name: string, labels: Readonly<Record<string, string>>): Effect.Effect<void, ClusterError> {
    return retryOnConflict(patchBackoff, (attempt) =>
      Effect.andThen(
        this.read(name, attempt),
        this.cluster.patch("Node", { name }, "strategic", { metadata: { labels } })
      )
    )
  }

  private read(name: string, attempt: number): Effect.Effect<Node, ClusterError> {
    return this.cluster.get("Node", { name }, attempt === 0 ? { resourceVersion: "0" } : undefined)
  }

  private patchTaints(
    name: string,
    change: (taints: ReadonlyArray<Taint> | undefined) => ReadonlyArray<Taint> | undefined
  ): Effect.Effect<void, ClusterError> {
    return retryOnConflict(patchBackoff, (attempt) =>
      Effect.flatMap(this.read(name, attempt), (node) => {
        const present = node.spec?.taints
        const taints = change(present)
        if (taints === present) return Effect.void
        // The list has no merge key, so it is sent whole; the resourceVersion makes the patch fail if the list has
        // changed.
        const body = {
          metadata: { resourceVersion: node.metadata.resourceVersion },
          spec: { taints: taints === undefined || taints.length === 0 ? null : taints }
        }
        return Effect.map(this.cluster.patch("Node", { name }, "strategic", body), this.onWrite)
      })
    )
  }
}
