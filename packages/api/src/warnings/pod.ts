import type { Affinity, TopologySpreadConstraint } from "../objects/Affinity.ts"
import type { ObjectMeta } from "../objects/Meta.ts"
import type { Pod, PodSpec, PodTemplateSpec } from "../objects/Pod.ts"
import { goQuote } from "../validation/goFormat.ts"
import { ipWarnings } from "../validation/ip.ts"
import { isDNS1123Label } from "../validation/names.ts"
import { appArmorAnnotation, appArmorProfileOf, isSameProfile, type Profile } from "../validation/profileAnnotations.ts"
import { containersOf, containerWarnings, portWarnings } from "./containers.ts"
import { fractionWarning } from "./fractions.ts"
import { expressionWarnings, labelDeprecation, nodeTermsWarnings } from "./nodeLabels.ts"
import { overlapWarnings, volumeWarnings } from "./volumes.ts"

/** Upstream: pkg/api/pod/warnings.go. */

const deprecatedAnnotations: ReadonlyArray<readonly [annotation: string, message: string]> = [
  ["scheduler.alpha.kubernetes.io/critical-pod", 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ["security.alpha.kubernetes.io/sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
  ["security.alpha.kubernetes.io/unsafe-sysctls", 'non-functional in v1.11+; use the "sysctls" field instead']
]

const nullSelector = "a null labelSelector results in matching no pod"

const spreadWarnings = (constraints: ReadonlyArray<TopologySpreadConstraint> = [], path: string) =>
  constraints.flatMap(({ labelSelector, topologyKey }, index) => {
    const at = `${path}[${index}]`
    const deprecation = labelDeprecation(topologyKey)
    return [
      ...(deprecation === undefined ? [] : [`${at}.topologyKey: ${topologyKey} is ${deprecation}`]),
      ...(labelSelector === undefined ? [`${at}.labelSelector: ${nullSelector}`] : [])
    ]
  })

const nodePlacementWarnings = ({ affinity, nodeSelector = {} }: PodSpec, path: string): ReadonlyArray<string> => {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const preferred = affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  const at = `${path}.affinity.nodeAffinity`
  return [
    ...Object.keys(nodeSelector).flatMap((label) => {
      const deprecation = labelDeprecation(label)
      return deprecation === undefined ? [] : [`${path}.nodeSelector[${label}]: ${deprecation}`]
    }),
    ...nodeTermsWarnings(
      required?.nodeSelectorTerms,
      `${at}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`
    ),
    ...preferred.flatMap(({ preference }, index) =>
      expressionWarnings(
        preference?.matchExpressions,
        `${at}.preferredDuringSchedulingIgnoredDuringExecution[${index}].preference.matchExpressions`,
        true
      )
    )
  ]
}

const podAffinityWarnings = (affinity: Affinity | undefined, path: string): ReadonlyArray<string> =>
  (["podAffinity", "podAntiAffinity"] as const).flatMap((kind) => {
    const { preferredDuringSchedulingIgnoredDuringExecution: preferred = [] } = affinity?.[kind] ?? {}
    const { requiredDuringSchedulingIgnoredDuringExecution: required = [] } = affinity?.[kind] ?? {}
    const at = `${path}.affinity.${kind}`
    return [
      ...required.flatMap(({ labelSelector }, index) =>
        labelSelector === undefined
          ? [`${at}.requiredDuringSchedulingIgnoredDuringExecution[${index}].labelSelector: ${nullSelector}`]
          : []
      ),
      ...preferred.flatMap(({ podAffinityTerm }, index) => {
        const term = `${at}.preferredDuringSchedulingIgnoredDuringExecution[${index}].podAffinityTerm`
        return podAffinityTerm?.labelSelector === undefined ? [`${term}.labelSelector: ${nullSelector}`] : []
      })
    ]
  })

/** Returns a warning for each text that an earlier item of the list has. */
const duplicateWarnings = (texts: ReadonlyArray<string>, what: string, path: string): ReadonlyArray<string> =>
  texts.flatMap((text, index) =>
    texts.indexOf(text) < index ? [`${path}[${index}].${what}: duplicate ${what} ${goQuote(text)}`] : []
  )

const listWarnings = ({ hostAliases = [], imagePullSecrets = [] }: PodSpec, path: string): ReadonlyArray<string> => {
  const ips = hostAliases.map(({ ip = "" }) => ip)
  const secrets = imagePullSecrets.map(({ name = "" }) => name)
  return [
    ...duplicateWarnings(ips, "ip", `${path}.hostAliases`),
    ...duplicateWarnings(secrets, "name", `${path}.imagePullSecrets`),
    ...secrets.flatMap((name, index) =>
      name === "" ? [`${path}.imagePullSecrets[${index}].name: invalid empty name ""`] : []
    )
  ]
}

const seccompMessage = 'non-functional in v1.27+; use the "seccompProfile" field instead'
const appArmorMessage = 'deprecated since v1.30; use the "appArmorProfile" field instead'
const seccompPod = "seccomp.security.alpha.kubernetes.io/pod"
const seccompContainer = "container.seccomp.security.alpha.kubernetes.io/"

interface Profiles {
  readonly seccompProfile?: unknown
  readonly appArmorProfile?: Profile
}

const addresses = (spec: PodSpec, path: string): ReadonlyArray<string> => {
  const { nameservers = [] } = (spec.dnsConfig ?? {}) as { readonly nameservers?: ReadonlyArray<string> }
  return [
    ...nameservers.flatMap((ip, index) => ipWarnings(ip, `${path}.dnsConfig.nameservers[${index}]`)),
    ...(spec.hostAliases ?? []).flatMap(({ ip = "" }, index) => ipWarnings(ip, `${path}.hostAliases[${index}].ip`))
  ]
}

/** Returns the warnings for a pod or a template; `parent` is the path of its metadata and spec, with a dot, or empty. */
const specWarnings = (spec: PodSpec, metadata: ObjectMeta | undefined, parent: string): ReadonlyArray<string> => {
  const path = `${parent}spec`
  const { annotations = {} } = metadata ?? {}
  const annotated = (annotation: string, message: string): ReadonlyArray<string> =>
    annotations[annotation] === undefined ? [] : [`${parent}metadata.annotations[${annotation}]: ${message}`]
  const containers = containersOf(spec, path)
  const { appArmorProfile: ofPod } = (spec.securityContext ?? {}) as Profiles
  const isProfileOfPod = (container: string) =>
    ofPod !== undefined &&
    isSameProfile(ofPod, appArmorProfileOf(annotations[`${appArmorAnnotation}${container}`] ?? ""))
  const grace = spec.terminationGracePeriodSeconds ?? 0
  const graceMessage = "must be >= 0; negative values are invalid and will be treated as 1"
  return [
    ...nodePlacementWarnings(spec, path),
    ...spreadWarnings(spec.topologySpreadConstraints, `${path}.topologySpreadConstraints`),
    ...deprecatedAnnotations.flatMap(([annotation, message]) => annotated(annotation, message)),
    ...volumeWarnings(spec.volumes, `${path}.volumes`),
    ...overlapWarnings(spec.volumes),
    ...listWarnings(spec, path),
    ...(["memory", "ephemeral-storage"] as const).flatMap((name) =>
      fractionWarning(spec.overhead?.[name], `${path}.overhead[${name}]`)
    ),
    ...(spec.securityContext?.seccompProfile === undefined ? annotated(seccompPod, seccompMessage) : []),
    ...containers.flatMap((placed) => {
      const [{ name, securityContext }] = placed
      const { appArmorProfile, seccompProfile } = (securityContext ?? {}) as Profiles
      return [
        ...(seccompProfile === undefined ? annotated(`${seccompContainer}${name}`, seccompMessage) : []),
        ...(parent !== "" && appArmorProfile === undefined && !isProfileOfPod(name)
          ? annotated(`${appArmorAnnotation}${name}`, appArmorMessage)
          : []),
        ...containerWarnings(placed)
      ]
    }),
    ...portWarnings(containers),
    ...(grace < 0 ? [`${path}.terminationGracePeriodSeconds: ${graceMessage}`] : []),
    ...podAffinityWarnings(spec.affinity, path),
    ...addresses(spec, path)
  ]
}

export const templateWarnings = (template: PodTemplateSpec | undefined, path: string): ReadonlyArray<string> =>
  template?.spec === undefined ? [] : specWarnings(template.spec, template.metadata, `${path}.`)

/** Returns a warning for a name that is no DNS label, because hostnames are made of it. */
export const nameWarnings = (name: string | undefined, use: string): ReadonlyArray<string> => {
  const faults = isDNS1123Label(name ?? "")
  const result = "which can result in surprising behavior; a DNS label is recommended"
  return faults.length === 0 ? [] : [`metadata.name: this is used in ${use}, ${result}: [${faults.join(" ")}]`]
}

/** The warnings of specs in pods without annotations; pods of one template share their spec. */
const warningsBySpec = new WeakMap<PodSpec, ReadonlyArray<string>>()

const warningsOfSpec = ({ metadata, spec }: Pod): ReadonlyArray<string> => {
  if (metadata.annotations !== undefined) return specWarnings(spec, metadata, "")
  const known = warningsBySpec.get(spec)
  const warnings = known ?? specWarnings(spec, metadata, "")
  if (known === undefined) warningsBySpec.set(spec, warnings)
  return warnings
}

/** Pods are often updated, and seldom by people, so only new ones are looked at. */
export const podWarnings = (pod: Pod, stored: Pod | undefined): ReadonlyArray<string> =>
  stored === undefined ? [...nameWarnings(pod.metadata.name, "the Pod's hostname"), ...warningsOfSpec(pod)] : []

export const podStatusWarnings = ({ status }: Pod): ReadonlyArray<string> => [
  ...(status?.podIPs ?? []).flatMap(({ ip = "" }, index) => ipWarnings(ip, `status.podIPs[${index}].ip`)),
  ...(status?.hostIPs ?? []).flatMap(({ ip = "" }, index) => ipWarnings(ip, `status.hostIPs[${index}].ip`))
]
