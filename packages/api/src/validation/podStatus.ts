import { mayRestartAllContainers } from "../nodeFeatures.ts"
import type { Container, ContainerRestartRule } from "../objects/Container.ts"
import type { Pod, PodSpec } from "../objects/Pod.ts"
import type { ContainerStatus, PodCondition } from "../objects/PodStatus.ts"
import { ErrorList } from "./ErrorList.ts"
import { type FieldErrors, noErrors, typed } from "./FieldError.ts"
import { isDualStack, parseIP, validateIP } from "./ip.ts"
import { validateObjectMetaUpdate } from "./metadata.ts"
import { isQualifiedName, nameIsDNSSubdomain } from "./names.ts"
import { validatePodAnnotationsUpdate } from "./podAnnotations.ts"
import { checkContainerStatuses, checkStatusClaims } from "./podStatusParts.ts"

/** Upstream: pkg/apis/core/validation/validation.go, ValidatePodStatusUpdate. */

const wellKnownConditions: ReadonlyArray<string> = ["PodScheduled", "Ready", "Initialized"]

const checkConditions = (errors: ErrorList, conditions: ReadonlyArray<PodCondition> | undefined): void => {
  conditions?.forEach(({ observedGeneration = 0, type = "" }, index) => {
    const at = `status.conditions[${index}]`
    if (observedGeneration < 0) {
      errors.invalid(`${at}.observedGeneration`, observedGeneration, "must be a non-negative integer")
    }
    if (!wellKnownConditions.includes(type)) errors.invalidEach(`${at}.Type`, type, isQualifiedName(type))
  })
}

const ruleMatches = ({ exitCodes }: ContainerRestartRule, exitCode: number): boolean => {
  const listed = exitCodes?.values?.includes(exitCode) ?? false
  return exitCodes?.operator === "In" ? listed : exitCodes?.operator === "NotIn" && !listed
}

/** Whether a container with this exit code may restart: by its own rules and policy, otherwise by the pod's policy. */
const mayRestart = (container: Container, spec: PodSpec, exitCode: number): boolean => {
  if (container.restartPolicy !== undefined) {
    if (container.restartPolicyRules?.some((rule) => ruleMatches(rule, exitCode) && rule.action === "Restart")) {
      return true
    }
    return policyRestarts(container.restartPolicy, exitCode)
  }
  return policyRestarts(spec.restartPolicy ?? "Always", exitCode)
}

const policyRestarts = (policy: string, exitCode: number): boolean =>
  policy === "Always" || (policy === "OnFailure" && exitCode !== 0)

/** Indexes by name; the first of several is used. */
const firstByName = <A extends { readonly name: string }>(
  items: ReadonlyArray<A> | undefined
): ReadonlyMap<string, A> => new Map(items?.toReversed().map((item) => [item.name, item]))

type Statuses = ReadonlyArray<ContainerStatus> | undefined

const checkTransitions = (
  errors: ErrorList,
  statuses: Statuses,
  old: Statuses,
  path: string,
  allowed: (name: string, exitCode: number) => boolean
): void => {
  if (statuses === old || old === undefined) return
  const byName = firstByName(statuses)
  old.forEach(({ name, state }, index) => {
    if (state?.terminated === undefined) return
    const next = byName.get(name)
    if (next === undefined || next.state?.terminated !== undefined) return
    if (allowed(name, state.terminated.exitCode)) return
    errors.forbidden(`${path}[${index}].state`, "may not be transitioned to non-terminated state")
  })
}

const restartCheck = (containers: ReadonlyArray<Container> | undefined, spec: PodSpec) => {
  let byName: ReadonlyMap<string, Container> | undefined
  return (name: string, exitCode: number): boolean => {
    byName ??= firstByName(containers)
    const container = byName.get(name)
    return (container !== undefined && mayRestart(container, spec, exitCode)) || mayRestartAllContainers(spec)
  }
}

type IPs = ReadonlyArray<{ readonly ip?: string }> | undefined

const checkIPs = (errors: ErrorList, ips: IPs, old: IPs, path: string): void => {
  if (ips === undefined || ips === old) return
  const stored = new Set(old?.map(({ ip = "" }) => ip))
  ips.forEach(({ ip = "" }, index) => void validateIP(errors, ip, `${path}[${index}]`, stored))
  if (ips.length < 2) return
  const parsed = ips.map(({ ip = "" }) => parseIP(ip))
  const invalidIndex = parsed.indexOf(undefined)
  if (invalidIndex >= 0) {
    const detail = `failed to check for dual stack with error:invalid IP[${invalidIndex}]: <nil>`
    errors.add("InternalError", path, undefined, detail)
  }
  if (invalidIndex < 0 && isDualStack(parsed)) return
  const shown = ips.map(({ ip = "" }) => ({ IP: ip }))
  errors.invalid(path, shown, "may specify no more than one IP for each IP family")
}

const checkHostIPs = (errors: ErrorList, pod: Pod, old: Pod): void => {
  const hostIPs = pod.status?.hostIPs
  const first = hostIPs?.[0]
  if (first === undefined) return
  if ((pod.status?.hostIP ?? "") !== (first.ip ?? "")) {
    errors.invalid("status.hostIPs[0].ip", first.ip ?? "", "must be equal to `hostIP`")
  }
  checkIPs(errors, hostIPs, old.status?.hostIPs, "status.hostIPs")
}

const checkNominatedNode = (errors: ErrorList, pod: Pod, old: Pod): void => {
  const nominated = pod.status?.nominatedNodeName ?? ""
  if (nominated === "" || nominated === (old.status?.nominatedNodeName ?? "")) return
  errors.invalidEach("status.nominatedNodeName", nominated, nameIsDNSSubdomain(nominated, false))
  if (old.spec?.nodeName) {
    errors.forbidden("status.nominatedNodeName", "may not be set on pods that are already bound to a node")
  }
}

const checkStatus = (errors: ErrorList, pod: Pod, old: Pod): void => {
  const status = pod.status ?? {}
  const stored = old.status ?? {}
  if (status.conditions !== stored.conditions) checkConditions(errors, status.conditions)
  if ((pod.spec?.nodeName ?? "") !== (old.spec?.nodeName ?? "")) {
    errors.forbidden("status.nodeName", "may not be changed directly")
  }
  checkNominatedNode(errors, pod, old)
  const generation = status.observedGeneration ?? 0
  if (generation < 0) errors.invalid("status.observedGeneration", generation, "must be a non-negative integer")
  if ((status.qosClass ?? "") !== (stored.qosClass ?? "")) {
    errors.invalid("status.qosClass", typed(status.qosClass ?? ""), "field is immutable")
  }
  const spec = old.spec
  checkTransitions(
    errors,
    status.containerStatuses,
    stored.containerStatuses,
    "status.containerStatuses",
    restartCheck(spec?.containers, spec)
  )
  checkTransitions(
    errors,
    status.initContainerStatuses,
    stored.initContainerStatuses,
    "status.initContainerStatuses",
    restartCheck(spec?.initContainers, spec)
  )
  checkTransitions(
    errors,
    status.ephemeralContainerStatuses,
    stored.ephemeralContainerStatuses,
    "status.ephemeralContainerStatuses",
    () => false
  )
  checkStatusClaims(errors, pod)
  checkIPs(errors, status.podIPs, stored.podIPs, "status.podIPs")
  checkHostIPs(errors, pod, old)
  checkContainerStatuses(errors, pod)
}

/**
 * Validates an update through pods/status. The phase and its transitions are not checked. Parts shared with the stored
 * pod are not checked again.
 */
export const validatePodStatusUpdate = (pod: Pod, old: Pod): FieldErrors => {
  if (pod === old) return noErrors
  const errors = new ErrorList()
  validateObjectMetaUpdate(errors, pod.metadata, old.metadata, { standardFinalizers: true })
  validatePodAnnotationsUpdate(errors, pod.metadata, old.metadata, pod.spec, "metadata.annotations")
  checkStatus(errors, pod, old)
  return errors.all
}
