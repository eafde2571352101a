import type { ErrorList } from "./ErrorList.ts"

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"]

/** The effect of a taint, which must have one, or of a toleration that names one. */
export const validateTaintEffect = (errors: ErrorList, effect: string, path: string): void => {
  if (effect === "") errors.required(path)
  else if (!effects.includes(effect)) errors.notSupported(path, effect, effects)
}
