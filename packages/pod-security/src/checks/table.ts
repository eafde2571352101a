import type { Check } from "./Check.ts"
import { hostNamespaces, hostPorts, hostProbes, windowsHostProcess } from "./host.ts"
import { procMount, seLinuxOptions, sysctls } from "./kernel.ts"
import {
  allowPrivilegeEscalation,
  capabilitiesBaseline,
  capabilitiesRestricted,
  exceptWindows,
  privileged
} from "./privileges.ts"
import { appArmorProfile, seccompAnnotations, seccompBaseline, seccompRestricted } from "./profiles.ts"
import { exceptUserNamespace, runAsNonRoot, runAsUser } from "./users.ts"
import { hostPathVolumes, restrictedVolumes } from "./volumes.ts"

const sysctls0 = [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start"
]
const sysctls27 = [...sysctls0, "net.ipv4.ip_local_reserved_ports"]
const sysctls29 = [
  ...sysctls27,
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes"
]
const sysctls32 = [...sysctls29, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"]

const seLinuxTypes0 = ["container_t", "container_init_t", "container_kvm_t"]
const seLinuxTypes31 = [...seLinuxTypes0, "container_engine_t"]

const baseline: ReadonlyArray<Omit<Check, "level">> = [
  { id: "appArmorProfile", versions: [{ since: 0, check: appArmorProfile }] },
  { id: "capabilities_baseline", versions: [{ since: 0, check: capabilitiesBaseline }] },
  { id: "hostNamespaces", versions: [{ since: 0, check: hostNamespaces }] },
  { id: "hostPathVolumes", versions: [{ since: 0, check: hostPathVolumes }] },
  { id: "hostPorts", versions: [{ since: 0, check: hostPorts }] },
  { id: "hostProbesAndHostLifecycle", versions: [{ since: 34, check: hostProbes }] },
  { id: "privileged", versions: [{ since: 0, check: privileged }] },
  {
    id: "procMount",
    versions: [
      { since: 0, check: procMount },
      { since: 35, check: exceptUserNamespace(procMount) }
    ]
  },
  {
    id: "seLinuxOptions",
    versions: [
      { since: 0, check: seLinuxOptions(...seLinuxTypes0) },
      { since: 31, check: seLinuxOptions(...seLinuxTypes31) }
    ]
  },
  {
    id: "seccompProfile_baseline",
    versions: [
      { since: 0, check: seccompAnnotations },
      { since: 19, check: seccompBaseline }
    ]
  },
  {
    id: "sysctls",
    versions: [
      { since: 0, check: sysctls(...sysctls0) },
      { since: 27, check: sysctls(...sysctls27) },
      { since: 29, check: sysctls(...sysctls29) },
      { since: 32, check: sysctls(...sysctls32) }
    ]
  },
  { id: "windowsHostProcess", versions: [{ since: 0, check: windowsHostProcess }] }
]

const restricted: ReadonlyArray<Omit<Check, "level">> = [
  {
    id: "allowPrivilegeEscalation",
    versions: [
      { since: 8, check: allowPrivilegeEscalation },
      { since: 25, check: exceptWindows(allowPrivilegeEscalation) }
    ]
  },
  {
    id: "capabilities_restricted",
    versions: [
      { since: 22, check: capabilitiesRestricted, overrides: ["capabilities_baseline"] },
      { since: 25, check: exceptWindows(capabilitiesRestricted), overrides: ["capabilities_baseline"] }
    ]
  },
  { id: "procMount_restricted", versions: [{ since: 35, check: procMount, overrides: ["procMount"] }] },
  { id: "restrictedVolumes", versions: [{ since: 0, check: restrictedVolumes, overrides: ["hostPathVolumes"] }] },
  {
    id: "runAsNonRoot",
    versions: [
      { since: 0, check: runAsNonRoot },
      { since: 35, check: exceptUserNamespace(runAsNonRoot) }
    ]
  },
  {
    id: "runAsUser",
    versions: [
      { since: 23, check: runAsUser },
      { since: 35, check: exceptUserNamespace(runAsUser) }
    ]
  },
  {
    id: "seccompProfile_restricted",
    versions: [
      { since: 19, check: seccompRestricted, overrides: ["seccompProfile_baseline"] },
      { since: 25, check: exceptWindows(seccompRestricted), overrides: ["seccompProfile_baseline"] }
    ]
  }
]

/** All checks in the order of their findings: those of the baseline first, each level by id. Upstream: policy/check_*.go. */
export const checks: ReadonlyArray<Check> = [
  ...baseline.map((check): Check => ({ ...check, level: "baseline" })),
  ...restricted.map((check): Check => ({ ...check, level: "restricted" }))
]
