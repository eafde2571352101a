import type { FeatureGates, Node, Pod, Release } from "@rollcall/api"
import { type Connection, type EventRecorder, isOlder } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { isCriticalPod } from "../pod/CriticalPod.ts"
import type { KillPod } from "../pod/PodKill.ts"
import type { LaterAnswer, PodAdmissionRequest, PodAdmitHandler, PodRefusal } from "./PodAdmitHandler.ts"
import {
  type AdmissionFailure,
  fitTogether,
  isOnlyAffinityMismatch,
  noNodeInfo,
  type PredicateGates,
  predicateFailures,
  predicateGatesOf,
  refusalFor,
  unresolvableRefusal,
  withCorrectOSLabel
} from "./Predicates.ts"
import { choosePreempted } from "./Preemption.ts"
import { missingAmount } from "./ResourceFit.ts"

/** The dependencies of a PredicateAdmission. */
export interface PredicateAdmissionOptions {
  readonly nodeName: string
  readonly connection: Connection
  readonly gates: FeatureGates
  readonly release: Pick<Release, "podsFitBy">
  readonly operatingSystem: () => string
  /** Returns the Node that this kubelet would register. It is used until the kubelet has seen one. */
  readonly initialNode: () => Node | undefined
  readonly killPod: KillPod
  readonly recorder: Pick<EventRecorder, "event"> | undefined
  /** Called after each preemption, for the metric `kubelet_preemptions`. `signal` is the first missing resource. */
  readonly onPreempted: ((signal: string) => void) | undefined
}

const PREEMPTING = "Preempting"
const PREEMPTED = "Preempted in order to admit critical pod"
const DISRUPTION = "Pod was preempted by Kubelet to accommodate a critical pod."

type Answer = PodRefusal | LaterAnswer | undefined

const unexpectedError = (error: string): PodRefusal => ({
  reason: "UnexpectedAdmissionError",
  message: `Unexpected error while attempting to recover from admission failure: ${error}`
})

/**
 * Evaluates the predicates for a pod. It reads the Node from the API if only the node affinity fails, and preempts pods
 * for a critical pod that lacks resources. Upstream: pkg/kubelet/lifecycle/predicate.go, pkg/kubelet/preemption,
 * pkg/kubelet/kubelet_nodecache.go.
 */
export class PredicateAdmission {
  private readonly options: PredicateAdmissionOptions
  private readonly predicateGates: PredicateGates
  /** The Node as last read from the API; the watch may already show a newer one. */
  private nodeRead: Node | undefined

  constructor(options: PredicateAdmissionOptions) {
    this.options = options
    this.predicateGates = predicateGatesOf(options.gates, options.release)
  }

  get handler(): PodAdmitHandler {
    return Object.assign(this.judge, { admitsAll: this.admitsAll })
  }

  private readonly admitsAll = (pods: ReadonlyArray<Pod>, seen: Node | undefined): boolean => {
    const node = this.nodeFor({ node: seen })
    if (node === undefined) return false
    const system = this.options.operatingSystem()
    return fitTogether(pods, withCorrectOSLabel(node, system), system, this.predicateGates)
  }

  private readonly judge = (request: PodAdmissionRequest): Answer => {
    const gates = this.predicateGates
    const { pod } = request
    const node = this.nodeFor(request)
    if (node === undefined) return noNodeInfo
    const system = this.options.operatingSystem()
    const unresolvable = unresolvableRefusal(pod, node, system, gates)
    if (unresolvable !== undefined) return unresolvable
    const otherPods = request.otherPods()
    const failures = predicateFailures(pod, withCorrectOSLabel(node, system), otherPods, gates)
    if (failures.length === 0) return undefined
    if (!isOnlyAffinityMismatch(failures)) return this.decideFailures(pod, otherPods, failures)
    return (decide) =>
      this.readNode((current) => {
        const answer =
          current === undefined
            ? refusalFor(failures)
            : this.decideFailures(pod, otherPods, predicateFailures(pod, current, otherPods, gates))
        if (typeof answer === "function") answer(decide)
        else decide(answer)
      })
  }

  /** Returns the newer of the Node in the watch and the last one read, or the one that would be registered. */
  private nodeFor({ node }: Pick<PodAdmissionRequest, "node">): Node | undefined {
    const { nodeRead } = this
    if (node === undefined) return nodeRead ?? this.options.initialNode()
    if (nodeRead === undefined || !isOlder(node, nodeRead)) return node
    return nodeRead
  }

  private readNode(onNode: (node: Node | undefined) => void): void {
    const { connection, nodeName } = this.options
    connection.send({ verb: "get", kind: "Node", name: nodeName }, (answer) => {
      if (Result.isFailure(answer)) return onNode(undefined)
      this.nodeRead = answer.success as Node
      onNode(this.nodeRead)
    })
  }

  /** Decides about a pod with these failures: a critical pod that only lacks resources preempts other pods. */
  private decideFailures(pod: Pod, otherPods: ReadonlyArray<Pod>, failures: ReadonlyArray<AdmissionFailure>): Answer {
    if (failures.length === 0) return undefined
    if (!isCriticalPod(pod)) return refusalFor(failures)
    const otherFailures = failures.filter(({ _tag }) => _tag === "PredicateFailure")
    if (otherFailures.length > 0) return refusalFor(otherFailures)
    const requirements = failures.flatMap((failure) =>
      failure._tag === "InsufficientResource" ? [{ resource: failure.resource, amount: missingAmount(failure) }] : []
    )
    const chosen = choosePreempted(pod, otherPods, requirements, this.options.gates)
    if (Result.isFailure(chosen)) {
      return unexpectedError(`preemption: error finding a set of pods to preempt: ${chosen.failure}`)
    }
    const victims = chosen.success
    return (decide) => this.preempt(victims, requirements[0]?.resource ?? "", () => decide(undefined))
  }

  /** Kills the pods one after the other, and then calls `done`, even if one takes too long to stop. */
  private preempt(victims: ReadonlyArray<Pod>, signal: string, done: () => void): void {
    const [victim, ...rest] = victims
    if (victim === undefined) {
      done()
      return
    }
    const { gates, killPod, onPreempted, recorder } = this.options
    recorder?.event(victim, "Warning", PREEMPTING, PREEMPTED)
    killPod(victim.metadata.uid ?? "", {
      reason: PREEMPTING,
      message: PREEMPTED,
      ...(gates.PodDisruptionConditions ? { disruption: DISRUPTION } : {}),
      done: (outcome) => {
        if (outcome === "stopped") onPreempted?.(signal)
        this.preempt(rest, signal, done)
      }
    })
  }
}
