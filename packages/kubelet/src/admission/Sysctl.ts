import type { Pod } from "@rollcall/api"
import type { PodRefusal } from "./PodAdmitHandler.ts"

type Namespace = "IPC" | "Net"

/**
 * Namespaced sysctls that do not affect other pods, with the first kernel that has them.
 * Upstream: pkg/kubelet/sysctl/safe_sysctls.go.
 */
const minimumKernel: Readonly<Record<string, string>> = {
  "net.ipv4.ip_local_reserved_ports": "3.16",
  "net.ipv4.tcp_keepalive_time": "4.5",
  "net.ipv4.tcp_fin_timeout": "4.6",
  "net.ipv4.tcp_keepalive_intvl": "4.5",
  "net.ipv4.tcp_keepalive_probes": "4.5",
  "net.ipv4.tcp_rmem": "4.15",
  "net.ipv4.tcp_wmem": "4.15"
}

const versionOf = (text: string): readonly [major: number, minor: number] | undefined => {
  const found = /^v?(\d+)\.(\d+)/.exec(text.trim())
  return found === null ? undefined : [Number(found[1]), Number(found[2])]
}

const isAtLeast = (kernel: string, minimum: string): boolean => {
  const have = versionOf(kernel)
  const need = versionOf(minimum)
  if (have === undefined || need === undefined) return false
  return have[0] > need[0] || (have[0] === need[0] && have[1] >= need[1])
}

/** The release's safe sysctls that a kernel has. */
export const safeSysctls = (names: ReadonlyArray<string>, kernelVersion: string): ReadonlyArray<string> =>
  names.filter((name) => {
    const minimum = minimumKernel[name]
    return minimum === undefined || isAtLeast(kernelVersion, minimum)
  })

/** Upstream: staging/src/k8s.io/component-helpers/node/util/sysctl NamespacedBy. */
const namespaceOf = (name: string): Namespace | undefined => {
  if (name.startsWith("net.")) return "Net"
  return /^(?:kernel\.(?:sem$|shm|msg)|fs\.mqueue\.)/.test(name) ? "IPC" : undefined
}

/**
 * Converts a name with slashes to one with dots; its dots become slashes.
 * Upstream: ConvertSysctlVariableToDotsSeparator.
 */
export const dottedSysctl = (name: string): string => {
  const [separator] = /[./]/.exec(name) ?? []
  if (separator !== "/") return name
  return name.replace(/[./]/g, (character) => (character === "/" ? "." : "/"))
}

const segment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
const patternText = `(${segment}[\\./])*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]`
const pattern = new RegExp(`^${patternText}$`)
const MAX_LENGTH = 253

/**
 * Why a kubelet does not start with this in its allowed sysctls. Upstream: pkg/kubelet/sysctl/allowlist.go
 * NewAllowlist.
 */
export const sysctlPatternProblem = (text: string): string | undefined => {
  if (text.length > MAX_LENGTH || !pattern.test(text)) {
    return `sysctl ${JSON.stringify(text)} must have at most ${MAX_LENGTH} characters and match regex ${patternText}`
  }
  const name = dottedSysctl(text)
  const many = name.endsWith("*")
  if (namespaceOf(many ? name.slice(0, -1) : name) !== undefined) return undefined
  return `the ${many ? "sysctls" : "sysctl"} ${JSON.stringify(name)} are not known to be namespaced`
}

/** Names and prefixes of sysctls that pods may set. */
export interface SysctlAllowList {
  readonly names: ReadonlySet<string>
  readonly prefixes: ReadonlyArray<string>
}

/** Makes the list from valid names and patterns that end in `*`. */
export const sysctlAllowList = (patterns: ReadonlyArray<string>): SysctlAllowList => {
  const dotted = patterns.map(dottedSysctl)
  return {
    names: new Set(dotted.filter((name) => !name.endsWith("*"))),
    prefixes: dotted.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1))
  }
}

const problemOf = (
  name: string,
  { hostIPC, hostNetwork }: Pick<Pod["spec"], "hostIPC" | "hostNetwork">,
  allowed: SysctlAllowList
): string | undefined => {
  const matched = allowed.names.has(name) ? name : allowed.prefixes.find((prefix) => name.startsWith(prefix))
  if (matched === undefined) return "not allowlisted"
  const namespace = namespaceOf(matched)
  const shared = (namespace === "IPC" && hostIPC === true) || (namespace === "Net" && hostNetwork === true)
  return shared ? `not allowed with host ${namespace} enabled` : undefined
}

/** Refuses a pod for its first sysctl that is not allowed. Upstream: pkg/kubelet/sysctl/allowlist.go Admit. */
export const refusedForSysctls = ({ spec }: Pod, allowed: SysctlAllowList): PodRefusal | undefined => {
  for (const sysctl of spec.securityContext?.sysctls ?? []) {
    const name = dottedSysctl(sysctl.name)
    const problem = problemOf(name, spec, allowed)
    if (problem !== undefined) {
      return { reason: "SysctlForbidden", message: `forbidden sysctl: ${JSON.stringify(name)} ${problem}` }
    }
  }
  return undefined
}
