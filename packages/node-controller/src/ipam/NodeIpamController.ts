import type { Node, ObjectReference } from "@rollcall/api"
import {
  Cluster,
  type ClusterError,
  EventRecorder,
  forkController,
  isNotFound,
  runWorkers,
  WorkQueue
} from "@rollcall/cluster"
import type { Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { ControllerInformers } from "../ControllerInformers.ts"
import { Fatal } from "../Fatal.ts"
import { Observer } from "../Observer.ts"
import { formatRange } from "./IPRange.ts"
import type { IpamPlan } from "./IpamPlan.ts"
import { cidrSetMeter } from "./ipamMetrics.ts"
import { type Proposal, podCIDRsPatch, RangeAllocator, type SyncFailure } from "./RangeAllocator.ts"

const CONTROLLER = "node-ipam-controller"
const COMPONENT = "cidrAllocator"
const WORKERS = 30
const PATCH_TRIES = 3
/** Upstream: apiserverStartupGracePeriod, ten minutes, in steps of ten seconds. */
const LIST_PAUSE_MS = 10_000
const LIST_TRIES = 60

/** The usage of a range. */
export interface RangeUsage {
  readonly clusterCIDR: string
  readonly maxCIDRs: number
  readonly allocated: number
}

export interface NodeIpamControllerShape {
  /** Empty until the controller has occupied the blocks of all existing nodes. */
  readonly usage: () => ReadonlyArray<RangeUsage>
}

/** Blocks allocated for one Node. */
interface PendingRange {
  readonly uid: string | undefined
  readonly proposal: Proposal
  /** Whether the API has confirmed the write; false if the outcome of the request is not known. */
  readonly written: boolean
}

/**
 * Blocks being written to Nodes: from the request until the cache shows the Node with them. The cache lags behind
 * writes, and a response can be lost: a Node that appears to have no blocks gets those that it may already have, and
 * no others.
 */
class PendingRanges {
  private readonly byName = new Map<string, PendingRange>()

  of({ metadata: { name = "", uid } }: Node): PendingRange | undefined {
    const pending = this.byName.get(name)
    return pending?.uid === uid ? pending : undefined
  }

  set({ metadata: { name = "", uid } }: Node, proposal: Proposal, written: boolean): void {
    this.byName.set(name, { uid, proposal, written })
  }

  /** Removes and returns the Node's pending blocks: they are written, or no longer needed. */
  take(node: Node): PendingRange | undefined {
    const pending = this.of(node)
    if (pending !== undefined) this.byName.delete(node.metadata.name ?? "")
    return pending
  }
}

const referenceTo = ({ metadata: { name = "", uid } }: Node): ObjectReference => ({
  apiVersion: "v1",
  kind: "Node",
  name,
  ...(uid === undefined ? {} : { uid })
})

/** Whether the server may have carried out the request, or still may. Upstream only handles ServerTimeout. */
const isOutcomeUnknown = (error: ClusterError): boolean =>
  error._tag === "ConnectionError" || error.reason === "ServerTimeout" || error.reason === "Timeout"

interface ControllerWithLoop extends NodeIpamControllerShape {
  readonly run: Effect.Effect<void>
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: puts the controller together; each function in it is short.
const assemble = Effect.fnUntraced(function* (
  plan: IpamPlan
): Effect.fn.Return<ControllerWithLoop, never, Cluster | Timers | ControllerInformers | Scope.Scope> {
  const cluster = yield* Cluster
  const { nodes, synced } = yield* ControllerInformers
  const observer = yield* Observer
  const fatal = yield* Fatal
  const recorder = yield* EventRecorder.make({ component: COMPONENT })
  const queue = yield* WorkQueue.named<string>("cidrallocator_node")
  const meterOf = cidrSetMeter(yield* Effect.context<never>())
  const pending = new PendingRanges()
  let allocator: RangeAllocator | undefined
  let removeHandler = () => {}
  yield* Effect.addFinalizer(() => Effect.sync(() => removeHandler()))

  const recordEvent = (node: Node, reason: string) =>
    recorder.event(referenceTo(node), "Normal", reason, `Node ${node.metadata.name} status is now: ${reason}`)

  const recordWritten = (node: Node, proposal: Proposal) => {
    pending.set(node, proposal, true)
    observer.cidrsAssigned({ node: node.metadata.name ?? "", cidrs: proposal.map(formatRange) })
  }

  /** Reads the Node after a failed write: it may have got blocks from another writer, or from this one after all. */
  const resolveFailedWrite = Effect.fnUntraced(function* (
    ranges: RangeAllocator,
    staleNode: Node,
    proposal: Proposal,
    cause: ClusterError
  ) {
    const { name = "" } = staleNode.metadata
    const answer = yield* Effect.result(cluster.get("Node", { name }))
    if (Result.isFailure(answer) && !isNotFound(answer.failure)) {
      pending.set(staleNode, proposal, false)
      return yield* Effect.fail<SyncFailure>({ message: cause.message })
    }
    const read = Result.isSuccess(answer) ? answer.success : undefined
    const node = read?.metadata.uid === staleNode.metadata.uid ? read : undefined
    switch (ranges.reconcileProposal(proposal, node)) {
      case "written":
        recordWritten(staleNode, proposal)
        return
      case "other":
        return
      case "gone":
        ranges.releaseProposal(proposal)
        return yield* Effect.fail<SyncFailure>({ message: `node "${name}" not found` })
      case "write":
        recordEvent(staleNode, "CIDRAssignmentFailed")
        if (isOutcomeUnknown(cause)) pending.set(staleNode, proposal, false)
        else ranges.releaseProposal(proposal)
        return yield* Effect.fail<SyncFailure>({ message: cause.message })
    }
  })

  const write = Effect.fnUntraced(function* (ranges: RangeAllocator, node: Node, proposal: Proposal) {
    const { name = "" } = node.metadata
    const patch = cluster.patch("Node", { name }, "strategic", podCIDRsPatch(proposal))
    const answer = yield* Effect.result(Effect.retry(patch, { times: PATCH_TRIES - 1 }))
    if (Result.isSuccess(answer)) recordWritten(node, proposal)
    else yield* resolveFailedWrite(ranges, node, proposal, answer.failure)
  })

  const sync = (ranges: RangeAllocator) => (name: string) =>
    Effect.suspend(() => {
      const node = nodes.find(name)
      if (node === undefined || node.metadata.deletionTimestamp !== undefined) return Effect.void
      const pendingRange = pending.of(node)
      const isSeen = (node.spec?.podCIDRs ?? []).length > 0
      if (pendingRange !== undefined && !isSeen)
        return pendingRange.written ? Effect.void : write(ranges, node, pendingRange.proposal)
      if (pendingRange !== undefined) {
        pending.take(node)
        if (ranges.reconcileProposal(pendingRange.proposal, node) === "written") return Effect.void
      }
      const outcome = ranges.allocateOrOccupy(node)
      if (Result.isSuccess(outcome)) {
        return outcome.success === undefined ? Effect.void : write(ranges, node, outcome.success)
      }
      if (outcome.failure.event !== undefined) recordEvent(node, outcome.failure.event)
      return Effect.fail(outcome.failure)
    })

  const releaseBlocks = (ranges: RangeAllocator, node: Node) => {
    const cidrs = node.spec?.podCIDRs ?? []
    const pendingRange = pending.take(node)
    if (pendingRange !== undefined && ranges.reconcileProposal(pendingRange.proposal, node) === "write")
      ranges.releaseProposal(pendingRange.proposal)
    if (cidrs.length === 0) return
    if (Result.isSuccess(ranges.release(node))) observer.cidrsReleased({ node: node.metadata.name ?? "", cidrs })
  }

  const enqueue = (node: Node) => queue.add(node.metadata.name ?? "")

  const list = cluster.list("Node").pipe(
    Effect.retry(Schedule.spaced(LIST_PAUSE_MS).pipe(Schedule.upTo({ times: LIST_TRIES }))),
    Effect.mapError(() => "failed to list all nodes in 10m0s, cannot proceed without updating CIDR map")
  )
  const run = list.pipe(
    Effect.flatMap(({ items }) => Effect.fromResult(RangeAllocator.start(plan, items, meterOf))),
    Effect.tap(() => synced),
    Effect.flatMap((ranges) => {
      allocator = ranges
      removeHandler = nodes.addHandler({
        onAdd: enqueue,
        onUpdate: (_, node) => enqueue(node),
        onDelete: (node) => releaseBlocks(ranges, node)
      })
      return runWorkers(queue, WORKERS, sync(ranges), (node, { message }) =>
        Effect.logDebug("node has no addresses for pods").pipe(Effect.annotateLogs({ node, error: message }))
      )
    }),
    Effect.catch((message) => fatal(CONTROLLER, message))
  )
  return {
    run,
    usage: () =>
      (allocator?.sets ?? []).map(({ allocated, cluster: range, maxCIDRs }) => ({
        clusterCIDR: formatRange(range),
        maxCIDRs,
        allocated
      }))
  }
})

/**
 * Allocates a block of each of the cluster's ranges to each node, for its pods' addresses, and releases it when the
 * node is deleted. Upstream: pkg/controller/nodeipam/ipam/range_allocator.go.
 */
export class NodeIpamController extends Context.Service<NodeIpamController, NodeIpamControllerShape>()(
  "@rollcall/node-controller/NodeIpamController"
) {
  /**
   * Runs while its scope is open; a new controller restores its state from the nodes, and its cursors start at the
   * beginning.
   */
  static readonly layer = (
    plan: IpamPlan
  ): Layer.Layer<NodeIpamController, never, Cluster | Timers | ControllerInformers> =>
    Layer.effect(
      NodeIpamController,
      Effect.gen(function* () {
        const controller = yield* assemble(plan)
        yield* forkController("node-ipam-controller")(controller.run)
        return controller
      })
    )
}
