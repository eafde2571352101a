import * as Result from "effect/Result"
import { countCPUs } from "./cpuList.ts"
import type { KubeletConfiguration } from "./fields.ts"
import { goQuote } from "./goQuote.ts"
import type { AddError } from "./validation.ts"

const HAIRPINS: ReadonlyArray<string> = ["none", "hairpin-veth", "promiscuous-bridge"]
const ENFORCE = "enforceNodeAllocatable (--enforce-node-allocatable)"
const SYSTEM = ["system-reserved", "system-reserved-compressible"] as const
const KUBE = ["kube-reserved", "kube-reserved-compressible"] as const
const KNOWN = ["pods", ...SYSTEM, ...KUBE]

const cgroupRequiredMessage = (field: string, flag: string, [plain, compressible]: readonly [string, string]) =>
  `${field} (--${flag}) must be specified when ${goQuote(plain)} or ${goQuote(compressible)} included in ${ENFORCE}`

/** Returns the error about an enforcement whose cgroup is not set, or undefined. */
const missingCgroupMessage = (level: string, config: KubeletConfiguration): string | undefined => {
  const { kubeReservedCgroup = "", systemReservedCgroup = "" } = config
  if (SYSTEM.some((enforcement) => enforcement === level) && systemReservedCgroup === "") {
    return cgroupRequiredMessage("systemReservedCgroup", "system-reserved-cgroup", SYSTEM)
  }
  if (KUBE.some((enforcement) => enforcement === level) && kubeReservedCgroup === "") {
    return cgroupRequiredMessage("kubeReservedCgroup", "kube-reserved-cgroup", KUBE)
  }
  return undefined
}

/**
 * Validates `enforceNodeAllocatable` and the fields that it requires, then `hairpinMode`, which upstream validates
 * next.
 */
export const validateEnforcement = (config: KubeletConfiguration, addError: AddError): void => {
  const { cgroupsPerQOS = true, enforceNodeAllocatable: levels = [], hairpinMode = "" } = config
  for (const [plain, compressible] of [SYSTEM, KUBE]) {
    if (levels.includes(plain) && levels.includes(compressible)) {
      addError(`both ${goQuote(plain)} and ${goQuote(compressible)} cannot be specified together in ${ENFORCE}`)
    }
  }
  const checked = new Set<string>()
  for (const level of levels) {
    if (checked.has(level)) {
      addError(`duplicated enforcements ${goQuote(level)} in ${ENFORCE}`)
      continue
    }
    checked.add(level)
    if (level === "none") {
      if (levels.length > 1) {
        addError(`${ENFORCE} may not contain additional enforcements when "none" is specified`)
      }
      continue
    }
    if (!KNOWN.includes(level)) {
      addError(
        `option ${goQuote(level)} specified for ${ENFORCE}. Valid options are ${KNOWN.map(goQuote).join(", ")} or "none"`
      )
      continue
    }
    const missingCgroup = missingCgroupMessage(level, config)
    if (missingCgroup !== undefined) addError(missingCgroup)
    if (!cgroupsPerQOS) {
      addError(`cgroupsPerQOS (--cgroups-per-qos) must be set to true when ${goQuote(level)} contained in ${ENFORCE}`)
    }
  }
  if (!HAIRPINS.includes(hairpinMode)) {
    addError(
      `option ${goQuote(hairpinMode)} specified for hairpinMode (--hairpin-mode). Valid options are "none", "hairpin-veth" or "promiscuous-bridge"`
    )
  }
}

export const validateCPUs = (config: KubeletConfiguration, addError: AddError): void => {
  const { kubeReservedCgroup = "", reservedSystemCPUs = "", systemReservedCgroup = "" } = config
  if (reservedSystemCPUs === "") return
  if (systemReservedCgroup !== "" || kubeReservedCgroup !== "") {
    addError(
      "can't use reservedSystemCPUs (--reserved-cpus) with systemReservedCgroup (--system-reserved-cgroup) or kubeReservedCgroup (--kube-reserved-cgroup)"
    )
  }
  const count = countCPUs(reservedSystemCPUs)
  if (Result.isFailure(count)) {
    addError(`unable to parse reservedSystemCPUs (--reserved-cpus) ${reservedSystemCPUs}, error: ${count.failure}`)
  }
}
