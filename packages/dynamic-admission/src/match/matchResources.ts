import type { MatchResources, Status } from "@rollcall/api"
import * as Result from "effect/Result"
import type { AdmissionKind, AdmissionKinds } from "../ports.ts"
import { equivalentsOf, type Subject } from "../Subject.ts"
import { matchingDefinition } from "./matchRules.ts"
import { namespaceMatches, objectMatches } from "./selectors.ts"

/** Returns the definition in whose version a request matches; undefined if it does not match. */
type Match = Result.Result<AdmissionKind | undefined, Status>

const noMatch: Match = Result.succeed(undefined)

/** Upstream: plugin/policy/matching/matching.go, Matches. */
export const matchResources = (match: MatchResources, subject: Subject, registry: AdmissionKinds): Match => {
  const { excludeResourceRules = [], matchPolicy, resourceRules = [] } = match
  const inNamespace = namespaceMatches(match.namespaceSelector ?? {}, subject, registry)
  if (Result.isSuccess(inNamespace) && !inNamespace.success) return noMatch
  if (!objectMatches(match.objectSelector ?? {}, subject)) return noMatch
  const equivalents = () => equivalentsOf(registry, subject.definition)
  if (matchingDefinition(excludeResourceRules, matchPolicy, subject, equivalents) !== undefined) return noMatch
  const found =
    resourceRules.length === 0
      ? subject.definition
      : matchingDefinition(resourceRules, matchPolicy, subject, equivalents)
  if (found === undefined) return noMatch
  // Only what matches otherwise fails for a namespace that does not exist.
  return Result.isFailure(inNamespace) ? Result.fail(inNamespace.failure) : Result.succeed(found)
}
