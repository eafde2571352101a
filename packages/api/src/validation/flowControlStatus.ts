import type { FlowControlCondition } from "../objects/FlowControl.ts"
import type { ErrorList } from "./ErrorList.ts"
import { typed } from "./FieldError.ts"

interface WithConditions {
  readonly conditions?: ReadonlyArray<FlowControlCondition>
}

/**
 * Checks that each condition has a type, and no two have the same. Upstream: ValidateFlowSchemaStatus,
 * ValidatePriorityLevelConfigurationStatus.
 */
export const validateConditions = (errors: ErrorList, { conditions = [] }: WithConditions = {}): void => {
  const known = new Set<string>()
  conditions.forEach(({ type = "" }, index) => {
    const path = `status.conditions[${index}].type`
    if (known.has(type)) errors.duplicate(path, typed(type))
    known.add(type)
    if (type === "") errors.required(path)
  })
}
