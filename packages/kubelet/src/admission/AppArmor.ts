import type { Container, Pod } from "@rollcall/api"
import type { PodRefusal } from "./PodAdmitHandler.ts"

const ANNOTATION_PREFIX = "container.apparmor.security.beta.kubernetes.io/"

/** The profile of a security context; its fields are not checked before. */
interface Profile {
  readonly type?: unknown
  readonly localhostProfile?: unknown
}

const profileOf = ({ securityContext }: Container): Profile | undefined => {
  const context: { readonly appArmorProfile?: Profile } | undefined = securityContext ?? undefined
  return context?.appArmorProfile
}

const isConfined = (profile: Profile | undefined): boolean => profile !== undefined && profile.type !== "Unconfined"

const hasEmptyName = (profile: Profile | undefined): boolean =>
  profile?.type === "Localhost" && String(profile.localhostProfile ?? "").trim() === ""

const allContainers = ({ spec }: Pod): ReadonlyArray<Container> => [...(spec.initContainers ?? []), ...spec.containers]

/**
 * Whether the pod or one of its containers requests a profile. Upstream: pkg/security/apparmor/helpers.go isRequired.
 */
const isRequired = (pod: Pod, containers: ReadonlyArray<Container>): boolean => {
  if (isConfined(pod.spec.securityContext?.appArmorProfile)) return true
  if (containers.some((container) => isConfined(profileOf(container)))) return true
  const { annotations = {} } = pod.metadata
  const key = Object.keys(annotations).find((name) => name.startsWith(ANNOTATION_PREFIX))
  return key !== undefined && annotations[key] !== "unconfined"
}

const refusal = (cause: string): PodRefusal => ({ reason: "AppArmor", message: `Cannot enforce AppArmor: ${cause}` })

const notEnabled = refusal("AppArmor is not enabled on the host")
const emptyProfileName = refusal('invalid empty AppArmor profile name: &{"Localhost" %!q(*string=<nil>)}')

/**
 * Returns the refusal of a pod that requests an AppArmor profile on a machine that does not enforce profiles, or whose
 * profile has no name; undefined if it passes. The runtime checks later whether the profile exists. Upstream:
 * pkg/kubelet/lifecycle/handlers.go appArmorAdmitHandler; pkg/security/apparmor.
 */
export const appArmorRefusal = (pod: Pod, enabled: boolean): PodRefusal | undefined => {
  if (pod.status?.phase !== "Pending") return undefined
  const containers = allContainers(pod)
  if (!isRequired(pod, containers)) return undefined
  if (!enabled) return notEnabled
  const podProfile = pod.spec.securityContext?.appArmorProfile
  return containers.some((container) => hasEmptyName(profileOf(container) ?? podProfile)) ? emptyProfileName : undefined
}
