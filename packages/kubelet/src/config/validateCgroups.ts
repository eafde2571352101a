import * as Result from "effect/Result"
import { countCPUs } from "./cpuList.ts"
import type { KubeletConfiguration } from "./fields.ts"
import { quoted } from "./quoted.ts"
import type { Complain } from "./validation.ts"

const HAIRPINS: ReadonlyArray<string> = ["none", "hairpin-veth", "promiscuous-bridge"]
const ENFORCE = "enforceNodeAllocatable (--enforce-node-allocatable)"
const SYSTEM = ["system-reserved", "system-reserved-compressible"] as const
const KUBE = ["kube-reserved", "kube-reserved-compressible"] as const
const KNOWN = ["pods", ...SYSTEM, ...KUBE]

const needsCgroup = (field: string, flag: string, [plain, compressible]: readonly [string, string]) =>
  `${field} (--${flag}) must be specified when ${quoted(plain)} or ${quoted(compressible)} included in ${ENFORCE}`

/** What is wrong with one enforcement by itself. */
const wrongLevel = (level: string, config: KubeletConfiguration): string | undefined => {
  const { kubeReservedCgroup = "", systemReservedCgroup = "" } = config
  if (SYSTEM.some((own) => own === level) && systemReservedCgroup === "") {
    return needsCgroup("systemReservedCgroup", "system-reserved-cgroup", SYSTEM)
  }
  if (KUBE.some((own) => own === level) && kubeReservedCgroup === "") {
    return needsCgroup("kubeReservedCgroup", "kube-reserved-cgroup", KUBE)
  }
  return undefined
}

/** `enforceNodeAllocatable` and what it needs; then `hairpinMode`, which upstream looks at next. */
export const validateEnforcement = (config: KubeletConfiguration, complain: Complain): void => {
  const { cgroupsPerQOS = true, enforceNodeAllocatable: levels = [], hairpinMode = "" } = config
  for (const [plain, compressible] of [SYSTEM, KUBE]) {
    if (levels.includes(plain) && levels.includes(compressible)) {
      complain(`both ${quoted(plain)} and ${quoted(compressible)} cannot be specified together in ${ENFORCE}`)
    }
  }
  const seen = new Set<string>()
  for (const level of levels) {
    if (seen.has(level)) {
      complain(`duplicated enforcements ${quoted(level)} in ${ENFORCE}`)
      continue
    }
    seen.add(level)
    if (level === "none") {
      if (levels.length > 1) {
        complain(`${ENFORCE} may not contain additional enforcements when "none" is specified`)
      }
      continue
    }
    if (!KNOWN.includes(level)) {
      complain(
        `option ${quoted(level)} specified for ${ENFORCE}. Valid options are ${KNOWN.map(quoted).join(", ")} or "none"`
      )
      continue
    }
    const wrong = wrongLevel(level, config)
    if (wrong !== undefined) complain(wrong)
    if (!cgroupsPerQOS) {
      complain(`cgroupsPerQOS (--cgroups-per-qos) must be set to true when ${quoted(level)} contained in ${ENFORCE}`)
    }
  }
  if (!HAIRPINS.includes(hairpinMode)) {
    complain(
      `option ${quoted(hairpinMode)} specified for hairpinMode (--hairpin-mode). Valid options are "none", "hairpin-veth" or "promiscuous-bridge"`
    )
  }
}

export const validateCPUs = (config: KubeletConfiguration, complain: Complain): void => {
  const { kubeReservedCgroup = "", reservedSystemCPUs = "", systemReservedCgroup = "" } = config
  if (reservedSystemCPUs === "") return
  if (systemReservedCgroup !== "" || kubeReservedCgroup !== "") {
    complain(
      "can't use reservedSystemCPUs (--reserved-cpus) with systemReservedCgroup (--system-reserved-cgroup) or kubeReservedCgroup (--kube-reserved-cgroup)"
    )
  }
  const count = countCPUs(reservedSystemCPUs)
  if (Result.isFailure(count)) {
    complain(`unable to parse reservedSystemCPUs (--reserved-cpus) ${reservedSystemCPUs}, error: ${count.failure}`)
  }
}
