import { compilePattern, compileSteps, PatternFault } from "@rollcall/cel"
import type { Work } from "./Work.ts"

/**
 * Whether a text matches a schema's pattern, anywhere. An invalid pattern refuses nothing: only definitions stored by
 * older versions contain one, and they are refused when they are written next.
 */
export const matchesPattern = (text: string, value: string, work: Work): boolean => {
  work.spend(compileSteps(text))
  const pattern = compilePattern(text)
  if (pattern instanceof PatternFault) return true
  work.spend(pattern.steps(value.length))
  return pattern.matches(value)
}
