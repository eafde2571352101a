import type { Container, Pod } from "@rollcall/api"
import { userOfImage } from "../runtime/command/environment.ts"

interface Security {
  readonly runAsNonRoot?: boolean
  readonly runAsUser?: number
}

/** Why a container may not run that must not run as root; undefined if it may. Upstream: kuberuntime/security_context_others.go, verifyRunAsNonRoot. */
export const nonRootProblemOf = (pod: Pod, container: Container): string | undefined => {
  const { name, securityContext } = container
  const own: Security = securityContext ?? {}
  const ofPod: Security = pod.spec.securityContext ?? {}
  if ((own.runAsNonRoot ?? ofPod.runAsNonRoot) !== true) return undefined
  const { metadata } = pod
  const of = `(pod: "${metadata.name}_${metadata.namespace}(${metadata.uid})", container: ${name})`
  const user = own.runAsUser ?? ofPod.runAsUser
  if (user !== undefined) return user === 0 ? `container's runAsUser breaks non-root policy ${of}` : undefined
  return userOfImage(container) === 0 ? `container has runAsNonRoot and image will run as root ${of}` : undefined
}
