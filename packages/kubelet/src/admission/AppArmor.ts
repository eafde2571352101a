import type { Container, Pod } from "@rollcall/api"
import type { PodRefusal } from "./PodAdmitHandler.ts"

const ANNOTATION = "container.apparmor.security.beta.kubernetes.io/"

interface Profile {
  readonly type?: unknown
  readonly localhostProfile?: unknown
}

const profileOf = ({ securityContext }: Container): Profile | undefined => {
  const context: { readonly appArmorProfile?: Profile } | undefined = securityContext ?? undefined
  return context?.appArmorProfile
}

const isInForce = (profile: Profile | undefined): boolean => profile !== undefined && profile.type !== "Unconfined"

const isNameless = (profile: Profile | undefined): boolean =>
  profile?.type === "Localhost" && String(profile.localhostProfile ?? "").trim() === ""

const allContainers = ({ spec }: Pod): ReadonlyArray<Container> => [...(spec.initContainers ?? []), ...spec.containers]

/** Upstream: pkg/security/apparmor/helpers.go isRequired. */
const isRequired = (pod: Pod, containers: ReadonlyArray<Container>): boolean => {
  if (isInForce(pod.spec.securityContext?.appArmorProfile)) return true
  if (containers.some((container) => isInForce(profileOf(container)))) return true
  const { annotations = {} } = pod.metadata
  const key = Object.keys(annotations).find((name) => name.startsWith(ANNOTATION))
  return key !== undefined && annotations[key] !== "unconfined"
}

const refusal = (why: string): PodRefusal => ({ reason: "AppArmor", message: `Cannot enforce AppArmor: ${why}` })

const notEnabled = refusal("AppArmor is not enabled on the host")
const nameless = refusal('invalid empty AppArmor profile name: &{"Localhost" %!q(*string=<nil>)}')

/**
 * Refuses a pod that requests an AppArmor profile where the machine does not enforce profiles. The runtime checks
 * whether the profile exists. Upstream: pkg/kubelet/lifecycle/handlers.go appArmorAdmitHandler; pkg/security/apparmor.
 */
export const refusedByAppArmor = (pod: Pod, enabled: boolean): PodRefusal | undefined => {
  if (pod.status?.phase !== "Pending") return undefined
  const containers = allContainers(pod)
  if (!isRequired(pod, containers)) return undefined
  if (!enabled) return notEnabled
  const common = pod.spec.securityContext?.appArmorProfile
  return containers.some((container) => isNameless(profileOf(container) ?? common)) ? nameless : undefined
}
