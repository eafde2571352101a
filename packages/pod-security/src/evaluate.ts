import type { Finding, VersionedCheck } from "./checks/Check.ts"
import { checks } from "./checks/table.ts"
import { type Level, minorOf, type Version } from "./Level.ts"
import type { PodMetadata, PodSpec } from "./PodSpec.ts"

/** What a pod may not have at a level. */
export interface Violation extends Finding {
  /** The id of the check. */
  readonly id: string
}

type Applied = ReadonlyArray<VersionedCheck & { readonly id: string }>

/** From this minor release on no check has changed. */
const newest = Math.max(...checks.flatMap(({ versions }) => versions.map(({ since }) => since)))

const made = new Map<string, Applied>()

/** Returns the checks of a level at a minor release, without those that others include. */
const appliedChecks = (level: Level, minor: number): Applied => {
  const key = `${level}:${minor}`
  const known = made.get(key)
  if (known !== undefined) return known
  const all = checks.flatMap((check) => {
    if (level === "privileged" || (level === "baseline" && check.level === "restricted")) return []
    const version = check.versions.findLast(({ since }) => since <= minor)
    return version === undefined ? [] : [{ ...version, id: check.id }]
  })
  const overridden = new Set(all.flatMap(({ overrides = [] }) => overrides))
  const applied = all.filter(({ id }) => !overridden.has(id))
  made.set(key, applied)
  return applied
}

/**
 * Returns what the Pod Security Standard of this level and version forbids of a pod; nothing if it allows the pod. The pod
 * is as the API server stores it. Upstream: k8s.io/pod-security-admission/policy/registry.go, EvaluatePod.
 */
export const evaluate = (
  level: Level,
  version: Version,
  metadata: PodMetadata,
  spec: PodSpec
): ReadonlyArray<Violation> =>
  appliedChecks(level, Math.min(minorOf(version), newest)).flatMap(({ check, id }) => {
    const finding = check(spec, metadata)
    return finding === undefined ? [] : [{ id, ...finding }]
  })

/** Formats violations in short, as for many pods at once: `host namespaces, privileged`. */
export const formatReasons = (violations: ReadonlyArray<Violation>): string =>
  violations.map(({ reason }) => reason).join(", ")

/** Formats violations with their details: `host namespaces (hostNetwork=true), privileged (…)`. */
export const formatViolations = (violations: ReadonlyArray<Violation>): string =>
  violations.map(({ detail, reason }) => (detail === "" ? reason : `${reason} (${detail})`)).join(", ")
