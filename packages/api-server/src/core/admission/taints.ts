import { type Node, type Pod, type Taint, type Toleration, taintNotReady, taintUnreachable } from "@rollcall/api"
import * as Result from "effect/Result"
import type { AdmissionPlugin } from "./Admission.ts"

/** How long pods stay on a node that is not ready or unreachable, unless they specify it. */
export interface DefaultTolerationSecondsOptions {
  /** The seconds on a node that is not ready (`--default-not-ready-toleration-seconds`); 300 by default. */
  readonly notReadySeconds?: number
  /** The seconds on an unreachable node (`--default-unreachable-toleration-seconds`); 300 by default. */
  readonly unreachableSeconds?: number
}

/** Whether the toleration is for this NoExecute taint, whatever its operator, value and seconds, as upstream checks. */
const covers = (toleration: Toleration, taintKey: string): boolean =>
  (!toleration.key || toleration.key === taintKey) && (!toleration.effect || toleration.effect === "NoExecute")

const noExecute = (key: string, tolerationSeconds: number): Toleration => ({
  key,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds
})

/**
 * Returns the tolerations with those for not-ready and unreachable nodes, unless others cover these; the same list if
 * both are covered.
 */
export const withDefaultTolerations = (
  tolerations: ReadonlyArray<Toleration>,
  { notReadySeconds = 300, unreachableSeconds = 300 }: DefaultTolerationSecondsOptions = {}
): ReadonlyArray<Toleration> => {
  const covered = (taintKey: string) => tolerations.some((toleration) => covers(toleration, taintKey))
  const missing = [
    ...(covered(taintNotReady) ? [] : [noExecute(taintNotReady, notReadySeconds)]),
    ...(covered(taintUnreachable) ? [] : [noExecute(taintUnreachable, unreachableSeconds)])
  ]
  return missing.length === 0 ? tolerations : [...tolerations, ...missing]
}

/**
 * Lets pods stay for five minutes on a node that is not ready or unreachable, unless they specify otherwise. It also
 * handles updates, so that it adds again what a full replacement omits. Upstream:
 * plugin/pkg/admission/defaulttolerationseconds/admission.go.
 */
export const defaultTolerationSeconds = (options: DefaultTolerationSecondsOptions = {}): AdmissionPlugin => ({
  name: "DefaultTolerationSeconds",
  admits: (kind, verb, subresource) => kind === "Pod" && verb !== "delete" && subresource === undefined,
  mutate: ({ object }) => {
    const pod = object as Pod
    const given = pod.spec.tolerations ?? []
    const tolerations = withDefaultTolerations(given, options)
    return Result.succeed(tolerations === given ? pod : { ...pod, spec: { ...pod.spec, tolerations } })
  }
})

const notReady: Taint = { key: taintNotReady, effect: "NoSchedule" }

/**
 * Returns the taints with the not-ready taint of a new node, which the node controller removes; the same list if it has
 * that taint.
 */
export const withNotReadyTaint = (taints: ReadonlyArray<Taint>): ReadonlyArray<Taint> =>
  taints.some(({ effect, key }) => key === notReady.key && effect === notReady.effect) ? taints : [...taints, notReady]

/**
 * Keeps pods off every new node until it has been reported ready. Upstream:
 * plugin/pkg/admission/nodetaint/admission.go.
 */
export const taintNodesByCondition: AdmissionPlugin = {
  name: "TaintNodesByCondition",
  admits: (kind, verb, subresource) => kind === "Node" && verb === "create" && subresource === undefined,
  mutate: ({ object }) => {
    const node = object as Node
    const given = node.spec?.taints ?? []
    const taints = withNotReadyTaint(given)
    return Result.succeed(taints === given ? node : { ...node, spec: { ...node.spec, taints } })
  }
}
