import type { FeatureGates, Node, Pod, Release } from "@rollcall/api"
import { type Connection, type EventRecorder, isOlder } from "@rollcall/cluster"
import * as Result from "effect/Result"
import { isCriticalPod } from "../pod/CriticalPod.ts"
import type { KillPod } from "../pod/PodKill.ts"
import type { LaterAnswer, PodAdmissionRequest, PodAdmitHandler, PodRefusal } from "./PodAdmitHandler.ts"
import {
  type AdmissionFailure,
  hopelessOn,
  isAffinityAlone,
  noNodeInfo,
  type PredicateGates,
  predicateFailures,
  refusalFor,
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
  /** The Node that this kubelet would register, for as long as it has seen none. */
  readonly initialNode: () => Node | undefined
  readonly killPod: KillPod
  readonly recorder: Pick<EventRecorder, "event"> | undefined
  /** A pod was ended to make room; the first resource that was missing. Metric `kubelet_preemptions`. */
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
 * Asks the predicates; reads the Node anew when only its labels are in the way; ends pods that must make room for a critical one.
 * Upstream: pkg/kubelet/lifecycle/predicate.go, pkg/kubelet/preemption, pkg/kubelet/kubelet_nodecache.go.
 */
export class PredicateAdmission {
  private readonly options: PredicateAdmissionOptions
  private readonly rules: PredicateGates
  /** As the last read of the API showed it. */
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
    const hopeless = hopelessOn(pod, found, system, gates)
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

  /** The newer of what the watch and the last read have shown. */
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

  /** A critical pod does not fail for want of resources: others make room. */
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

  /** Ends the pods, one after the other; the pod is admitted even if one takes too long. */
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
