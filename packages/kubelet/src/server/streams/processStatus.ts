import type { Container, Pod } from "@rollcall/api"
import { identityOf, type KnownContainer } from "./containerWorld.ts"

interface Security {
  readonly allowPrivilegeEscalation?: boolean
  readonly privileged?: boolean
  readonly seccompProfile?: { readonly type?: string }
}

/** How a kernel filters the calls of a process: not at all, or by a list. */
const UNFILTERED = 0
const FILTERED = 2

/** Returns the mode of seccomp that a container is to have. Upstream: kuberuntime/helpers.go, getSeccompProfile. */
const seccompOf = ({ spec }: Pod, own: Security): number => {
  const { type = "Unconfined" } =
    own.seccompProfile ?? (spec.securityContext as Security | undefined)?.seccompProfile ?? {}
  return own.privileged === true || type === "Unconfined" ? UNFILTERED : FILTERED
}

/** Returns what /proc shows of the processes of a container, as far as its security context says it. */
export const processStatusOf = (known: KnownContainer): string => {
  const own: Security = (known.container as Container).securityContext ?? {}
  const { group, groups, user } = identityOf(known)
  const seccomp = seccompOf(known.pod, own)
  const lines = {
    Uid: [user, user, user, user].join("\t"),
    Gid: [group, group, group, group].join("\t"),
    Groups: groups.join(" "),
    NoNewPrivs: own.allowPrivilegeEscalation === false ? 1 : 0,
    Seccomp: seccomp,
    Seccomp_filters: seccomp === FILTERED ? 1 : 0
  }
  return Object.entries(lines)
    .map(([name, text]) => `${name}:\t${text}\n`)
    .join("")
}
