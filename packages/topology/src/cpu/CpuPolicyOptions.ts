import { type FeatureGates, sortedEntries } from "@rollcall/api"
import * as Result from "effect/Result"
import { parseBool } from "../internal/parseBool.ts"
import type { CpuTopology } from "./CpuTopology.ts"

/** The options of the static policy, `cpuManagerPolicyOptions`. */
export interface CpuPolicyOptions {
  /** Only whole cores are allocated: a request must be a multiple of the threads of a core. */
  readonly fullPcpusOnly: boolean
  /** CPUs are distributed evenly over the NUMA nodes that a container uses. */
  readonly distributeCpusAcrossNuma: boolean
  /** The NUMA nodes of a hint are extended to their sockets. */
  readonly alignBySocket: boolean
  /** Threads of different cores are preferred to threads of one core. */
  readonly distributeCpusAcrossCores: boolean
  /** Reserved CPUs are not in the shared pool: only the system runs on them. */
  readonly strictCpuReservation: boolean
  readonly preferAlignByUncoreCache: boolean
}

/** The options of the static policy by default: all off. */
export const noCpuPolicyOptions: CpuPolicyOptions = {
  fullPcpusOnly: false,
  distributeCpusAcrossNuma: false,
  alignBySocket: false,
  distributeCpusAcrossCores: false,
  strictCpuReservation: false,
  preferAlignByUncoreCache: false
}

type Option = keyof CpuPolicyOptions
type Level = "stable" | "beta" | "alpha"

const optionInfo: Readonly<Record<Option, { readonly name: string; readonly level: Level }>> = {
  fullPcpusOnly: { name: "full-pcpus-only", level: "stable" },
  distributeCpusAcrossNuma: { name: "distribute-cpus-across-numa", level: "beta" },
  alignBySocket: { name: "align-by-socket", level: "alpha" },
  distributeCpusAcrossCores: { name: "distribute-cpus-across-cores", level: "alpha" },
  strictCpuReservation: { name: "strict-cpu-reservation", level: "stable" },
  preferAlignByUncoreCache: { name: "prefer-align-cpus-by-uncorecache", level: "stable" }
}
const optionOf = new Map(Object.entries(optionInfo).map(([option, { name }]) => [name, option as Option]))

/** The options that exclude each other, in the order in which they are checked. */
const exclusivePairs: ReadonlyArray<readonly [Option, Option]> = [
  ["fullPcpusOnly", "distributeCpusAcrossCores"],
  ["distributeCpusAcrossNuma", "distributeCpusAcrossCores"],
  ["preferAlignByUncoreCache", "distributeCpusAcrossCores"],
  ["preferAlignByUncoreCache", "distributeCpusAcrossNuma"]
]

export type CpuPolicyOptionGates = Pick<FeatureGates, "CPUManagerPolicyAlphaOptions" | "CPUManagerPolicyBetaOptions">

/**
 * Parses the options of the static policy. Fails with the error for the first invalid option by name; upstream's order
 * is random. Upstream: pkg/kubelet/cm/cpumanager/policy_options.go.
 */
export const parseCpuPolicyOptions = (
  optionTexts: Readonly<Record<string, string>>,
  gates: CpuPolicyOptionGates
): Result.Result<CpuPolicyOptions, string> => {
  const options = { ...noCpuPolicyOptions }
  for (const [name, text] of sortedEntries(optionTexts)) {
    const option = optionOf.get(name)
    if (option === undefined) return Result.fail(`unknown CPU Manager Policy option: ${JSON.stringify(name)}`)
    const disabledLevel = levelIfDisabled(optionInfo[option].level, gates)
    if (disabledLevel !== undefined) {
      return Result.fail(
        `CPU Manager Policy ${disabledLevel}-level Options not enabled, but option ${JSON.stringify(name)} provided`
      )
    }
    const value = parseBool(text)
    if (value === undefined) {
      const cause = `strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`
      return Result.fail(`bad value for option ${JSON.stringify(name)}: ${cause}`)
    }
    options[option] = value
  }
  const conflict = exclusivePairs.find(([a, b]) => options[a] && options[b])
  if (conflict === undefined) return Result.succeed(options)
  const [a, b] = conflict
  return Result.fail(
    `static policy options ${optionInfo[a].name} and ${optionInfo[b].name} can not be used at the same time`
  )
}

const levelIfDisabled = (level: Level, gates: CpuPolicyOptionGates): "Alpha" | "Beta" | undefined => {
  if (level === "alpha" && !gates.CPUManagerPolicyAlphaOptions) return "Alpha"
  return level === "beta" && !gates.CPUManagerPolicyBetaOptions ? "Beta" : undefined
}

/**
 * Returns why these options do not work on this machine with the topology manager's policy, or undefined if they do.
 */
export const cpuPolicyOptionsFault = (
  options: CpuPolicyOptions,
  topology: CpuTopology,
  topologyManagerPolicy: string
): string | undefined => {
  if (!options.alignBySocket) return undefined
  if (topologyManagerPolicy === "single-numa-node") {
    return "Topolgy manager single-numa-node policy is incompatible with CPUManager align-by-socket policy option"
  }
  if (topology.numSockets <= topology.numNumaNodes) return undefined
  return "Align by socket is not compatible with hardware where number of sockets are more than number of NUMA"
}
