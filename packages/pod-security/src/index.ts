// The standards: levels, versions, and what they forbid of a pod.

export type { Check, CheckPod, Finding, VersionedCheck } from "./checks/Check.ts"
export { checks } from "./checks/table.ts"
export { evaluate, formatReasons, formatViolations, type Violation } from "./evaluate.ts"
export {
  compareLevels,
  formatLevelVersion,
  type Level,
  type LevelVersion,
  minorOf,
  parseLevel,
  parseVersion,
  type Version
} from "./Level.ts"
export type { PodMetadata, PodSpec } from "./PodSpec.ts"

// The policy of a namespace.

export {
  isPrivileged,
  isSamePolicy,
  type LabelError,
  labelPrefix,
  type Mode,
  modes,
  type Policy,
  type PolicyOfLabels,
  policyOf,
  privilegedPolicy
} from "./Policy.ts"

// The configuration of a server.

export { type Configuration, type Exemptions, noExemptions } from "./Configuration.ts"
