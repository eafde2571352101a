import type { Pod } from "@rollcall/api"
import type { PodRefusal } from "./PodAdmitHandler.ts"

type Namespace = "IPC" | "Net"

/**
 * The first kernel that has each of these safe sysctls. Safe sysctls that are not listed here exist in all kernels.
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
  const match = /^v?(\d+)\.(\d+)/.exec(text.trim())
  return match === null ? undefined : [Number(match[1]), Number(match[2])]
}

const isAtLeast = (kernel: string, minimum: string): boolean => {
  const actual = versionOf(kernel)
  const required = versionOf(minimum)
  if (actual === undefined || required === undefined) return false
  return actual[0] > required[0] || (actual[0] === required[0] && actual[1] >= required[1])
}

/** Returns those of a release's safe sysctls that a kernel has. */
export const safeSysctls = (names: ReadonlyArray<string>, kernelVersion: string): ReadonlyArray<string> =>
  names.filter((name) => {
    const minimum = minimumKernel[name]
    return minimum === undefined || isAtLeast(kernelVersion, minimum)
  })

/** Returns the namespace of a sysctl. Upstream: staging/src/k8s.io/component-helpers/node/util/sysctl NamespacedBy. */
const namespaceOf = (name: string): Namespace | undefined => {
  if (name.startsWith("net.")) return "Net"
  return /^(?:kernel\.(?:sem$|shm|msg)|fs\.mqueue\.)/.test(name) ? "IPC" : undefined
}

/**
 * Converts a sysctl's name with slashes as separators to one with dots. Dots within such a name become slashes.
 * Upstream: ConvertSysctlVariableToDotsSeparator.
 */
export const dottedSysctl = (name: string): string => {
  const [separator] = /[./]/.exec(name) ?? []
  if (separator !== "/") return name
  return name.replace(/[./]/g, (character) => (character === "/" ? "." : "/"))
}

/** Returns the file of a sysctl. */
export const sysctlPath = (name: string): string =>
  `/proc/sys/${dottedSysctl(name).replace(/[./]/g, (character) => (character === "." ? "/" : "."))}`

const segment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
const patternText = `(${segment}[\\./])*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]`
const pattern = new RegExp(`^${patternText}$`)
const MAX_LENGTH = 253

/**
 * Returns why a kubelet does not start with this pattern in its allowed sysctls, or undefined if it is valid. Upstream:
 * pkg/kubelet/sysctl/allowlist.go NewAllowlist.
 */
export const sysctlPatternProblem = (text: string): string | undefined => {
  if (text.length > MAX_LENGTH || !pattern.test(text)) {
    return `sysctl ${JSON.stringify(text)} must have at most ${MAX_LENGTH} characters and match regex ${patternText}`
  }
  const name = dottedSysctl(text)
  const isPattern = name.endsWith("*")
  if (namespaceOf(isPattern ? name.slice(0, -1) : name) !== undefined) return undefined
  return `the ${isPattern ? "sysctls" : "sysctl"} ${JSON.stringify(name)} are not known to be namespaced`
}

/** The sysctls that pods may set. */
export interface SysctlAllowList {
  readonly names: ReadonlySet<string>
  /** Pods may set every sysctl whose name starts with one of these. */
  readonly prefixes: ReadonlyArray<string>
}

/** Makes the list from valid names, and patterns that end in `*`. */
export const sysctlAllowList = (patterns: ReadonlyArray<string>): SysctlAllowList => {
  const dotted = patterns.map(dottedSysctl)
  return {
    names: new Set(dotted.filter((name) => !name.endsWith("*"))),
    prefixes: dotted.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1))
  }
}

const sysctlProblem = (
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

/**
 * Returns the refusal for a pod's first sysctl that is not allowed, or undefined if all are. Upstream:
 * pkg/kubelet/sysctl/allowlist.go Admit.
 */
export const sysctlRefusal = ({ spec }: Pod, allowed: SysctlAllowList): PodRefusal | undefined => {
  for (const sysctl of spec.securityContext?.sysctls ?? []) {
    const name = dottedSysctl(sysctl.name)
    const problem = sysctlProblem(name, spec, allowed)
    if (problem !== undefined) {
      return { reason: "SysctlForbidden", message: `forbidden sysctl: ${JSON.stringify(name)} ${problem}` }
    }
  }
  return undefined
}
