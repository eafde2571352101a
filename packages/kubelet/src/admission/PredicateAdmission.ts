import type { FeatureGates, Node, Pod, Release } from "@rollcall/api"
import { type Connection, type EventRecorder, isOlder } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { isCriticalPod } from "../pod/CriticalPod.ts"
import type { KillPod } from "../pod/PodKill.ts"
import type { LaterAnswer, PodAdmissionRequest, PodAdmitHandler, PodRefusal } from "./PodAdmitHandler.ts"
import {
  type AdmissionFailure,
  isAffinityAlone,
  noNodeInfo,
  type PredicateGates,
  predicateFailures,
  refusalFor,
  unresolvableOn,
  withTrueOS
} from "./Predicates.ts"
import { choosePreempted } from "./Preemption.ts"
import { missingAmount } from "./ResourceFit.ts"

export interface PredicateAdmissionOptions {
  readonly nodeName: string
  readonly connection: Connection
  readonly gates: FeatureGates
  readonly release: Pick<Release, "podsFitBy">
  readonly operatingSystem: () => string
  /** The Node that this kubelet would register, until it has seen one. */
  readonly initialNode: () => Node | undefined
  readonly killPod: KillPod
  readonly recorder: Pick<EventRecorder, "event"> | undefined
  /** A pod was preempted; `signal`: the first missing resource. Metric `kubelet_preemptions`. */
  readonly onPreempted: ((signal: string) => void) | undefined
}

const PREEMPTING = "Preempting"
const PREEMPTED = "Preempted in order to admit critical pod"
const DISRUPTION = "Pod was preempted by Kubelet to accommodate a critical pod."

type Answer = PodRefusal | LaterAnswer | undefined

const unexpected = (error: string): PodRefusal => ({
  reason: "UnexpectedAdmissionError",
  message: `Unexpected error while attempting to recover from admission failure: ${error}`
})

/**
 * Evaluates the predicates; reads the Node again if only its labels fail; preempts pods for a critical one.
 * Upstream: pkg/kubelet/lifecycle/predicate.go, pkg/kubelet/preemption, pkg/kubelet/kubelet_nodecache.go.
 */
export class PredicateAdmission {
  private readonly options: PredicateAdmissionOptions
  private readonly rules: PredicateGates
  /** As last read from the API. */
  private live: Node | undefined

  constructor(options: PredicateAdmissionOptions) {
    this.options = options
    this.rules = { ...options.gates, podsFitBy: options.release.podsFitBy }
  }

  readonly handler: PodAdmitHandler = (request) => {
    const gates = this.rules
    const { pod } = request
    const found = this.nodeFor(request)
    if (found === undefined) return noNodeInfo
    const system = this.options.operatingSystem()
    const hopeless = unresolvableOn(pod, found, system, gates)
    if (hopeless !== undefined) return hopeless
    const otherPods = request.otherPods()
    const failures = predicateFailures(pod, withTrueOS(found, system), otherPods, gates)
    if (failures.length === 0) return undefined
    if (!isAffinityAlone(failures)) return this.recover(pod, otherPods, failures)
    return (decide) =>
      this.readNode((node) => {
        const answer =
          node === undefined
            ? refusalFor(failures)
            : this.recover(pod, otherPods, predicateFailures(pod, node, otherPods, gates))
        if (typeof answer === "function") answer(decide)
        else decide(answer)
      })
  }

  /** The newer of the Node in the watch and the last one read. */
  private nodeFor({ node }: PodAdmissionRequest): Node | undefined {
    const { live } = this
    if (node === undefined) return live ?? this.options.initialNode()
    if (live === undefined || !isOlder(node, live)) return node
    return live
  }

  private readNode(listen: (node: Node | undefined) => void): void {
    const { connection, nodeName } = this.options
    connection.send({ verb: "get", kind: "Node", name: nodeName }, (answer) => {
      if (Result.isFailure(answer)) return listen(undefined)
      this.live = answer.success as Node
      listen(this.live)
    })
  }

  /** A critical pod that lacks resources preempts other pods. */
  private recover(pod: Pod, otherPods: ReadonlyArray<Pod>, failures: ReadonlyArray<AdmissionFailure>): Answer {
    if (failures.length === 0) return undefined
    if (!isCriticalPod(pod)) return refusalFor(failures)
    const others = failures.filter(({ _tag }) => _tag === "PredicateFailure")
    if (others.length > 0) return refusalFor(others)
    const requirements = failures.flatMap((failure) =>
      failure._tag === "InsufficientResource" ? [{ resource: failure.resource, amount: missingAmount(failure) }] : []
    )
    const chosen = choosePreempted(pod, otherPods, requirements, this.options.gates)
    if (Result.isFailure(chosen)) {
      return unexpected(`preemption: error finding a set of pods to preempt: ${chosen.failure}`)
    }
    const victims = chosen.success
    return (decide) => this.preempt(victims, requirements[0]?.resource ?? "", () => decide(undefined))
  }

  /** Kills the pods, one after the other; the pod is admitted even if one takes too long. */
  private preempt(victims: ReadonlyArray<Pod>, signal: string, done: () => void): void {
    const [victim, ...others] = victims
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
        this.preempt(others, signal, done)
      }
    })
  }
}
