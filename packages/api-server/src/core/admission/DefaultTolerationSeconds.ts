import { type Pod, type Toleration, taintNotReady, taintUnreachable } from "@rollcall/api"
import * as Result from "effect/Result"
import type { AdmissionPlugin } from "./Admission.ts"

export interface DefaultTolerationSecondsOptions {
  /** `--default-not-ready-toleration-seconds`, 300 by default. */
  readonly notReadySeconds?: number
  /** `--default-unreachable-toleration-seconds`, 300 by default. */
  readonly unreachableSeconds?: number
}

/** Whatever its operator, value and seconds. */
const covers = (toleration: Toleration, taintKey: string): boolean =>
  (!toleration.key || toleration.key === taintKey) && (!toleration.effect || toleration.effect === "NoExecute")

const noExecute = (key: string, tolerationSeconds: number): Toleration => ({
  key,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds
})

/** The tolerations with those for a node that is not ready or unreachable behind them, where none covers it; else the same list. */
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
 * Lets pods stay for five minutes on a node that is not ready or unreachable, unless they say otherwise. Acts on updates too, so
 * that it re-adds what a full replacement left out. Upstream: plugin/pkg/admission/defaulttolerationseconds/admission.go.
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
