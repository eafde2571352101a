import { hasUserNamespace } from "../PodSpec.ts"
import { type CheckPod, namesOf } from "./Check.ts"
import { namesWith, settersOf } from "./words.ts"

/** Wraps a check of what is harmless in a user namespace. */
export const exceptUserNamespace =
  (check: CheckPod): CheckPod =>
  (spec, metadata) =>
    hasUserNamespace(spec) ? undefined : check(spec, metadata)

export const runAsNonRoot: CheckPod = (spec) => {
  const ofPod = spec.securityContext?.runAsNonRoot
  const refusing = namesOf(spec, ({ securityContext }) => securityContext?.runAsNonRoot === false)
  const setters = settersOf(ofPod === false, refusing)
  const reason = "runAsNonRoot != true"
  if (setters !== "") return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` }
  const silent = ofPod === true ? [] : namesOf(spec, ({ securityContext }) => securityContext?.runAsNonRoot == null)
  if (silent.length === 0) return undefined
  return { reason, detail: `pod or ${namesWith("container", silent)} must set securityContext.runAsNonRoot=true` }
}

export const runAsUser: CheckPod = (spec) => {
  const isRoot = ({ securityContext }: { readonly securityContext?: { readonly runAsUser?: number } }) =>
    securityContext?.runAsUser === 0
  const setters = settersOf(isRoot(spec), namesOf(spec, isRoot))
  return setters === "" ? undefined : { reason: "runAsUser=0", detail: `${setters} must not set runAsUser=0` }
}
