import { durationFault, formatDuration, formatQuantity, parseDuration, parseQuantity, signOf } from "@rollcall/api"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { KubeletConfig } from "../KubeletConfig.ts"
import { type EvictionSignal, isEvictionSignal } from "./Signals.ts"
import { isHard, type Threshold, type ThresholdValue } from "./Threshold.ts"

/** An invalid eviction setting, with which a kubelet does not start. The message is upstream's. */
export class ThresholdError extends Schema.TaggedError<ThresholdError>()("ThresholdError", {
  message: Schema.String
}) {}

/** The eviction settings of a KubeletConfiguration, by signal: quantities or percentages, and Go durations. */
export interface ThresholdSettings {
  readonly enforceNodeAllocatable: ReadonlyArray<string>
  readonly evictionHard: Readonly<Record<string, string>>
  readonly evictionSoft: Readonly<Record<string, string>>
  readonly evictionSoftGracePeriod: Readonly<Record<string, string>>
  readonly evictionMinimumReclaim: Readonly<Record<string, string>>
}

type Parsed<A> = Result.Result<A, ThresholdError>
type BySignal<A> = ReadonlyMap<EvictionSignal, A>

const thresholdError = (message: string): Parsed<never> => Result.fail(new ThresholdError({ message }))

/** Parses settings in their order, up to the first error. An entry for which `parse` returns undefined is skipped. */
const parseEntries = <A>(
  settings: Readonly<Record<string, string>>,
  parse: (signal: EvictionSignal, text: string) => Parsed<A | undefined>
): Parsed<BySignal<A>> => {
  const entries = new Map<EvictionSignal, A>()
  for (const [signal, text] of Object.entries(settings)) {
    if (!isEvictionSignal(signal)) return thresholdError(`unsupported eviction signal ${signal}`)
    const parsed = parse(signal, text)
    if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
    if (parsed.success !== undefined) entries.set(signal, parsed.success)
  }
  return Result.succeed(entries)
}

const decimalNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** Parses `12.5%` as 0.125. Several percent signs at the end count as one, as upstream. */
const parseFraction = (text: string): Parsed<number> => {
  const digits = text.replace(/%+$/, "")
  if (!decimalNumber.test(digits))
    return thresholdError(`strconv.ParseFloat: parsing ${JSON.stringify(digits)}: invalid syntax`)
  const percentage = Math.fround(Number(digits))
  if (!Number.isFinite(percentage)) {
    return thresholdError(`strconv.ParseFloat: parsing ${JSON.stringify(digits)}: value out of range`)
  }
  return Result.succeed(Math.fround(percentage / 100))
}

const parseValue = (text: string): Parsed<ThresholdValue> => {
  if (text.endsWith("%")) return Result.map(parseFraction(text), (fraction): ThresholdValue => ({ fraction }))
  return parseQuantity(text).pipe(
    Result.map((quantity): ThresholdValue => ({ quantity })),
    Result.mapError(({ message }) => new ThresholdError({ message }))
  )
}

/** Parses a threshold; undefined for one that is disabled. */
const parseStatement = (signal: EvictionSignal, text: string): Parsed<ThresholdValue | undefined> => {
  if (text === "0%" || text === "100%") return Result.succeed(undefined)
  return Result.flatMap(parseValue(text), (value): Parsed<ThresholdValue> => {
    if ("quantity" in value) {
      return signOf(value.quantity) > 0
        ? Result.succeed(value)
        : thresholdError(`eviction threshold ${signal} must be positive: ${formatQuantity(value.quantity)}`)
    }
    if (value.fraction < 0) return thresholdError(`eviction percentage threshold ${signal} must be >= 0%: ${text}`)
    if (value.fraction > 1) return thresholdError(`eviction percentage threshold ${signal} must be <= 100%: ${text}`)
    return Result.succeed(value)
  })
}

const parseMinReclaim = (signal: EvictionSignal, text: string): Parsed<ThresholdValue> =>
  Result.flatMap(parseValue(text), (value): Parsed<ThresholdValue> => {
    if ("quantity" in value) {
      return signOf(value.quantity) < 0
        ? thresholdError(`negative eviction minimum reclaim specified for ${signal}`)
        : Result.succeed(value)
    }
    return value.fraction > 0
      ? Result.succeed(value)
      : thresholdError(`eviction percentage minimum reclaim ${signal} must be positive: ${text}`)
  })

const parseGrace = (_signal: EvictionSignal, text: string): Parsed<number> => {
  const ms = parseDuration(text)
  if (Number.isNaN(ms)) return thresholdError(durationFault(text))
  return ms < 0
    ? thresholdError(`invalid eviction grace period specified: ${text}, must be a positive value`)
    : Result.succeed(ms)
}

/** Copies the hard memory thresholds for `allocatableMemory.available`, the memory that all pods together may use. */
const allocatableCopies = (thresholds: ReadonlyArray<Threshold>): ReadonlyArray<Threshold> =>
  thresholds
    .filter((threshold) => threshold.signal === "memory.available" && isHard(threshold))
    .map((threshold) => ({ ...threshold, signal: "allocatableMemory.available", graceMs: 0 }))

/**
 * Parses eviction settings into thresholds: hard ones, soft ones, and copies for `allocatableMemory.available` if
 * enforceNodeAllocatable contains `pods`. `0%` and `100%` disable a signal. Upstream: pkg/kubelet/eviction/helpers.go
 * ParseThresholdConfig.
 */
export const parseThresholds = (settings: ThresholdSettings): Parsed<ReadonlyArray<Threshold>> =>
  Result.gen(function* () {
    const hard = yield* parseEntries(settings.evictionHard, parseStatement)
    const soft = yield* parseEntries(settings.evictionSoft, parseStatement)
    const gracePeriods = yield* parseEntries(settings.evictionSoftGracePeriod, parseGrace)
    const minReclaims = yield* parseEntries(settings.evictionMinimumReclaim, parseMinReclaim)
    const thresholds: Array<Threshold> = []
    for (const [signal, value] of hard) {
      thresholds.push({ signal, value, graceMs: 0, minReclaim: minReclaims.get(signal) })
    }
    for (const [signal, value] of soft) {
      const graceMs = gracePeriods.get(signal)
      if (graceMs === undefined) {
        return yield* thresholdError(`grace period must be specified for the soft eviction threshold ${signal}`)
      }
      thresholds.push({ signal, value, graceMs, minReclaim: minReclaims.get(signal) })
    }
    const enforced = settings.enforceNodeAllocatable.includes("pods")
    return enforced ? [...thresholds, ...allocatableCopies(thresholds)] : thresholds
  })

const parsedConfigs = new WeakMap<KubeletConfig, ReadonlyArray<Threshold>>()

/**
 * Returns the thresholds of a validated configuration, which are parsed once for each configuration. Throws a
 * ThresholdError if the configuration is invalid.
 */
export const thresholdsOf = (config: KubeletConfig): ReadonlyArray<Threshold> => {
  let thresholds = parsedConfigs.get(config)
  if (thresholds === undefined) {
    const gracePeriods = Object.entries(config.evictionSoftGracePeriodMs).map(([signal, ms]) => [
      signal,
      formatDuration(ms)
    ])
    thresholds = Result.getOrThrow(
      parseThresholds({ ...config, evictionSoftGracePeriod: Object.fromEntries(gracePeriods) })
    )
    parsedConfigs.set(config, thresholds)
  }
  return thresholds
}
