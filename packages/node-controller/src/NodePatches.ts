import { addTaints, formatTime, type Node, removeTaints, type Taint } from "@rollcall/api"
import { type ClusterError, type ClusterShape, type ConflictBackoff, retryOnConflict } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { logFailure, taintsText } from "./failureLog.ts"
import { carriesTaint } from "./Taints.ts"

/**
 * The retries of a patch after conflicts. Upstream: pkg/controller/controller_utils.go UpdateTaintBackoff,
 * UpdateLabelBackoff; cloud-provider/node/helpers/labels.go.
 */
export const patchBackoff: ConflictBackoff = { steps: 5, durationMs: 100, factor: 1, jitter: 1 }

/** Whose turn it is to patch a node. */
interface Turn {
  readonly lock: Semaphore.Semaphore
  /** Those that patch it or wait. */
  users: number
}

/** What its owner knows of nodes. */
export interface KnownNodes {
  /** Returns the newest version that the owner has seen or written. */
  readonly newest: (name: string) => Node | undefined
  /** Called with each node that was patched. */
  readonly onWrite: (node: Node) => void
}

/**
 * Patches nodes, each read first: from the server's cache the first time, a quorum read after a conflict. Patches of one
 * node wait for each other, and none reads a version that is older than what is known: a cache of the server may lag
 * behind a write that it has just acknowledged, and the patch would conflict with that write.
 * Upstream: pkg/controller/controller_utils.go AddOrUpdateTaintOnNode, RemoveTaintOffNode;
 * pkg/controller/util/node/controller_utils.go.
 */
export class NodePatches {
  private readonly cluster: ClusterShape
  private readonly now: () => number
  private readonly known: KnownNodes | undefined
  /** Of the nodes that are being patched. */
  private readonly turns = new Map<string, Turn>()

  constructor(cluster: ClusterShape, now: () => number, known?: KnownNodes) {
    this.cluster = cluster
    this.now = now
    this.known = known
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
    if (attempt > 0) return this.cluster.get("Node", { name })
    const { resourceVersion = "0" } = this.known?.newest(name)?.metadata ?? {}
    const cached = (version: string) => this.cluster.get("Node", { name }, { resourceVersion: version })
    // A store that was restored from a backup may never reach the version.
    return resourceVersion === "0" ? cached("0") : Effect.catchIf(cached(resourceVersion), isTimeout, () => cached("0"))
  }

  /** Runs a patch of a node when no other one does. */
  private inTurn<A, E>(name: string, patch: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      const turn = this.turns.get(name) ?? { lock: Semaphore.makeUnsafe(1), users: 0 }
      this.turns.set(name, turn)
      turn.users++
      const leave = Effect.sync(() => {
        if (--turn.users === 0) this.turns.delete(name)
      })
      return Effect.ensuring(turn.lock.withPermits(1)(patch), leave)
    })
  }

  private patchTaints(
    name: string,
    change: (taints: ReadonlyArray<Taint> | undefined) => ReadonlyArray<Taint> | undefined
  ): Effect.Effect<void, ClusterError> {
    const patch = retryOnConflict(patchBackoff, (attempt) =>
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
        return Effect.map(this.cluster.patch("Node", { name }, "strategic", body), (written) =>
          this.known?.onWrite(written)
        )
      })
    )
    return this.inTurn(name, patch)
  }
}

const isTimeout = (error: ClusterError): boolean => error._tag === "ApiError" && error.reason === "Timeout"
