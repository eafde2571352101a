import * as Result from "effect/Result"
import { nameWithoutTag } from "./imageName.ts"

/** `imagePullCredentialsVerificationPolicy`. */
export const verificationPolicies = [
  "NeverVerify",
  "NeverVerifyPreloadedImages",
  "NeverVerifyAllowlistedImages",
  "AlwaysVerify"
] as const
export type VerificationPolicy = (typeof verificationPolicies)[number]

export const isVerificationPolicy = (name: string): name is VerificationPolicy =>
  verificationPolicies.some((policy) => policy === name)

interface Pattern {
  readonly text: string
  /** Whether all images whose name begins with the text match, as `registry.example/team/*` says. */
  readonly isPrefix: boolean
}

/** Parses an entry of `preloadedImagesVerificationAllowlist`. Upstream: image_pull_policies.go, getAllowlistImagePattern. */
const patternOf = (pattern: string): Result.Result<Pattern, string> => {
  if (pattern !== pattern.trim()) return Result.fail(`leading/trailing spaces are not allowed: ${pattern}`)
  const isPrefix = pattern.endsWith("/*")
  const text = isPrefix ? pattern.slice(0, -1) : pattern
  if (text === "") return Result.fail(`the supplied pattern is too short: ${pattern}`)
  if (text.includes("*")) {
    return Result.fail(`not a valid wildcard pattern, only patterns ending with '/*' are allowed: ${pattern}`)
  }
  if (isPrefix) {
    return text === "/" ? Result.fail("at least registry hostname is required") : Result.succeed({ text, isPrefix })
  }
  const name = nameWithoutTag(text)
  if (Result.isFailure(name)) return Result.fail(`failed to parse as an image name: ${name.failure}`)
  return name.success === text
    ? Result.succeed({ text, isPrefix })
    : Result.fail(`neither tag nor digest is accepted in an image reference: ${pattern}`)
}

/** Returns what is wrong with the first bad entry of an allow list; undefined if all are good. */
export const allowListProblem = (list: ReadonlyArray<string>): string | undefined => {
  const problem = list.map(patternOf).find(Result.isFailure)
  return problem?.failure
}

const isListed = (image: string, list: ReadonlyArray<string>): boolean => {
  const name = Result.getOrElse(nameWithoutTag(image), () => image)
  return list.some((pattern) => {
    const { isPrefix, text } = Result.getOrElse(patternOf(pattern), () => ({ isPrefix: false, text: pattern }))
    return isPrefix ? name.startsWith(text) : name === text
  })
}

/**
 * Whether a pod may use an image that is on the node only with credentials that have pulled it. Upstream:
 * pkg/kubelet/images/pullmanager/image_pull_policies.go.
 */
export const mustVerify = (
  policy: VerificationPolicy,
  allowList: ReadonlyArray<string>,
  image: string,
  isPulledByKubelet: boolean
): boolean => {
  if (policy === "NeverVerify") return false
  if (policy === "NeverVerifyPreloadedImages") return isPulledByKubelet
  return policy === "AlwaysVerify" || !isListed(image, allowList)
}
