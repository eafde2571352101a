import type { IntOrString } from "../objects/Scalars.ts"
import type { ErrorList } from "./ErrorList.ts"
import { validateIntOrPercent } from "./intOrPercent.ts"

/** How many pods of a Deployment or DaemonSet are replaced at a time. */
export interface RollingUpdate {
  readonly maxUnavailable?: IntOrString
  readonly maxSurge?: IntOrString
}

/** Returns a strategy as messages show it. */
export const shownStrategy = (type: string, rollingUpdate: RollingUpdate | undefined): unknown => ({
  Type: type,
  RollingUpdate:
    rollingUpdate === undefined
      ? null
      : { MaxUnavailable: rollingUpdate.maxUnavailable ?? 0, MaxSurge: rollingUpdate.maxSurge ?? 0 }
})

export const checkBothNumbers = (
  errors: ErrorList,
  { maxSurge = 0, maxUnavailable = 0 }: RollingUpdate,
  path: string
): void => {
  validateIntOrPercent(errors, maxUnavailable, `${path}.maxUnavailable`)
  validateIntOrPercent(errors, maxSurge, `${path}.maxSurge`)
}
