import type { CelFunction } from "../operators.ts"
import { objectOf } from "../types.ts"
import { CelError, Extension, type Value } from "../values.ts"
import { constantEstimate, type Library, parsing, parsingEstimate } from "./Library.ts"

const NAME = "kubernetes.Semver"

/** A version; build metadata is ignored after parsing. */
interface Version {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint]
  readonly prerelease: ReadonlyArray<bigint | string>
}

class Semver extends Extension {
  readonly typeName = NAME
  readonly version: Version
  constructor(version: Version) {
    super()
    this.version = version
  }
  get key(): string {
    const { numbers, prerelease } = this.version
    return `${numbers.join(".")}-${prerelease.join(".")}`
  }
}

/** Thrown for a text that is not a version, with the message of the Go library. */
class VersionFault extends Error {}

const quote = (text: string): string => JSON.stringify(text)
const isNumeric = (text: string): boolean => /^\d*$/.test(text)
const hasLeadingZeros = (text: string): boolean => text.length > 1 && text.startsWith("0")

/** Parses an unsigned integer. Upstream: strconv.ParseUint. */
const unsigned = (digits: string): bigint => {
  const fault = (why: string) => new VersionFault(`strconv.ParseUint: parsing ${quote(digits)}: ${why}`)
  if (digits === "") throw fault("invalid syntax")
  if (digits.length > 20 || BigInt(digits) >= 2n ** 64n) throw fault("value out of range")
  return BigInt(digits)
}

const numberOf = (text: string, part: "Major" | "Minor" | "Patch"): bigint => {
  if (!isNumeric(text)) {
    throw new VersionFault(`Invalid character(s) found in ${part.toLowerCase()} number ${quote(text)}`)
  }
  if (hasLeadingZeros(text)) throw new VersionFault(`${part} number must not contain leading zeroes ${quote(text)}`)
  return unsigned(text)
}

const prereleaseOf = (text: string): bigint | string => {
  if (text === "") throw new VersionFault("Prerelease is empty")
  if (isNumeric(text)) {
    if (!hasLeadingZeros(text)) return unsigned(text)
    throw new VersionFault(`Numeric PreRelease version must not contain leading zeroes ${quote(text)}`)
  }
  if (/^[0-9A-Za-z-]*$/.test(text)) return text
  throw new VersionFault(`Invalid character(s) found in prerelease ${quote(text)}`)
}

const checkBuild = (text: string): void => {
  if (text === "") throw new VersionFault("Build meta data is empty")
  if (!/^[0-9A-Za-z-]*$/.test(text)) {
    throw new VersionFault(`Invalid character(s) found in build meta data ${quote(text)}`)
  }
}

/** Splits a text at the first separator; the second part is undefined without one. */
const cut = (text: string, separator: string): readonly [string, string | undefined] => {
  const at = text.indexOf(separator)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

/** Parses a version. Upstream: github.com/blang/semver/v4, Parse. */
const parse = (text: string): Version => {
  if (text === "") throw new VersionFault("Version string empty")
  const [major, more] = cut(text, ".")
  const [minor, last] = cut(more ?? "", ".")
  if (last === undefined) throw new VersionFault("No Major.Minor.Patch elements found")
  const first = [numberOf(major, "Major"), numberOf(minor, "Minor")] as const
  const [withoutBuild, build] = cut(last, "+")
  const [patch, prerelease] = cut(withoutBuild, "-")
  const numbers = [...first, numberOf(patch, "Patch")] as const
  const version = { numbers, prerelease: prerelease?.split(".").map(prereleaseOf) ?? [] }
  for (const part of build?.split(".") ?? []) checkBuild(part)
  return version
}

/** Normalizes `v1` to `1.0.0`, `01.02.03` to `1.2.3`. Upstream: semverlib.go, normalizeAndParse. */
const normalised = (text: string): string => {
  const [major, more] = cut(text.replace(/^v/, ""), ".")
  const [minor, last] = cut(more ?? "", ".")
  const given = [major, ...(more === undefined ? [] : [minor]), ...(last === undefined ? [] : [last])]
  const parts = given.map((part) => {
    if (part.length < 2) return part
    const trimmed = part.replace(/^0+/, "")
    return /^\d/.test(trimmed) ? trimmed : `0${trimmed}`
  })
  if (parts.length === 3) return parts.join(".")
  if (/[+-]/.test(parts.at(-1) ?? "")) {
    throw new VersionFault("short version cannot contain PreRelease/Build meta data")
  }
  return [...parts, "0", "0"].slice(0, 3).join(".")
}

/** Reads a version, which `normalises` may complete first. */
export const readSemver = (text: string, normalises: boolean): Semver | CelError => {
  try {
    return new Semver(parse(normalises ? normalised(text) : text))
  } catch (error) {
    if (!(error instanceof VersionFault)) throw error
    return new CelError(error.message)
  }
}

const order = <A extends bigint | string>(left: A, right: A): number => (left < right ? -1 : left > right ? 1 : 0)

/** Compares parts of prereleases: numbers sort before names. */
const comparePrerelease = (left: bigint | string, right: bigint | string): number => {
  if (typeof left === typeof right) return order(left, right)
  return typeof left === "bigint" ? -1 : 1
}

const compare = (left: Version, right: Version): number => {
  for (const at of [0, 1, 2] as const) {
    const found = order(left.numbers[at], right.numbers[at])
    if (found !== 0) return found
  }
  const [one, other] = [left.prerelease, right.prerelease]
  // A release sorts after its prereleases.
  if (one.length === 0 || other.length === 0) return Math.sign(other.length - one.length)
  for (const [at, part] of one.entries()) {
    const against = other[at]
    if (against === undefined) return 1
    const found = comparePrerelease(part, against)
    if (found !== 0) return found
  }
  return Math.sign(one.length - other.length)
}

const ofText =
  (act: (read: Semver | CelError) => Value): CelFunction =>
  ([text, normalises = false], meter) => {
    if (typeof text !== "string" || typeof normalises !== "boolean") return undefined
    meter.make(4 * text.length)
    return act(readSemver(text, normalises))
  }

const number =
  (at: 0 | 1 | 2): CelFunction =>
  ([semver]) =>
    semver instanceof Semver ? BigInt.asIntN(64, semver.version.numbers[at]) : undefined

const comparison =
  (act: (order: number) => Value): CelFunction =>
  ([left, right], meter) => {
    if (!(left instanceof Semver) || !(right instanceof Semver)) return undefined
    meter.spend(1 + Math.min(left.version.prerelease.length, right.version.prerelease.length))
    return act(compare(left.version, right.version))
  }

/** The functions of semantic versions. Upstream: apiserver/pkg/cel/library/semverlib.go, version 1. */
export const semverLibrary: Library = {
  types: { semver: { ...objectOf(new Map(), 0), name: NAME } },
  typeNames: [],
  overloads: [
    "semver string -> semver = string_to_semver",
    "semver string bool -> semver = string_bool_to_semver",
    "isSemver string -> bool = is_semver_string",
    "isSemver string bool -> bool = is_semver_string_bool",
    ".isGreaterThan semver semver -> bool = semver_is_greater_than",
    ".isLessThan semver semver -> bool = semver_is_less_than",
    ".compareTo semver semver -> int = semver_compare_to",
    ".major semver -> int = semver_major",
    ".minor semver -> int = semver_minor",
    ".patch semver -> int = semver_patch"
  ],
  functions: {
    compareTo: comparison(BigInt),
    isGreaterThan: comparison((found) => found > 0),
    isLessThan: comparison((found) => found < 0),
    isSemver: ofText((made) => made instanceof Semver),
    major: number(0),
    minor: number(1),
    patch: number(2),
    semver: ofText((made) => made)
  },
  costs: { isSemver: parsing, semver: parsing },
  estimates: { isSemver: parsingEstimate, semver: parsingEstimate },
  equality: { [NAME]: constantEstimate }
}
