import type { AdmissionPlugin } from "./Admission.ts"
import { type DefaultTolerationSecondsOptions, defaultTolerationSeconds } from "./DefaultTolerationSeconds.ts"
import { priorityAdmission } from "./Priority.ts"
import { taintNodesByCondition } from "./TaintNodesByCondition.ts"

export {
  type DefaultTolerationSecondsOptions,
  defaultTolerationSeconds,
  withDefaultTolerations
} from "./DefaultTolerationSeconds.ts"
export { priorityAdmission, systemPriorityClasses } from "./Priority.ts"
export { taintNodesByCondition, withNotReadyTaint } from "./TaintNodesByCondition.ts"

/** The plugins that are on by default, in the order of kube-apiserver's chain. */
export const defaultAdmissionPlugins = (
  options: DefaultTolerationSecondsOptions = {}
): ReadonlyArray<AdmissionPlugin> => [taintNodesByCondition, priorityAdmission, defaultTolerationSeconds(options)]
