import type { Level } from "../Level.ts"
import type { Container, PodMetadata, PodSpec } from "../PodSpec.ts"
import { containersOf } from "../PodSpec.ts"

/** Why a check forbids a pod. */
export interface Finding {
  /** In a word or two, for lists of pods: `host namespaces`. */
  readonly reason: string
  /** What of the pod is forbidden: `hostNetwork=true`. */
  readonly detail: string
}

/** Returns why the pod is forbidden, or undefined. */
export type CheckPod = (spec: PodSpec, metadata: PodMetadata) => Finding | undefined

/** A revision of a check. */
export interface VersionedCheck {
  /** The minor release from which on it applies, until the next revision. */
  readonly since: number
  readonly check: CheckPod
  /** The checks of the baseline that this one includes: the restricted level leaves them out. */
  readonly overrides?: ReadonlyArray<string>
}

/** One of the Pod Security Standards. Upstream: k8s.io/pod-security-admission/policy/checks.go. */
export interface Check {
  readonly id: string
  /** Checks of the baseline apply to the restricted level, too. */
  readonly level: Exclude<Level, "privileged">
  /** In the order of their releases. */
  readonly versions: ReadonlyArray<VersionedCheck>
}

/** Returns the names of the containers for which this holds. */
export const namesOf = (spec: PodSpec, holds: (container: Container) => boolean): ReadonlyArray<string> =>
  containersOf(spec).flatMap((container) => (holds(container) ? [container.name ?? ""] : []))
