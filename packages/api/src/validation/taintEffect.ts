import type { ErrorList } from "./ErrorList.ts"

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"]

/** Checks the effect of a taint, which requires one, or of a toleration that has one. */
export const validateTaintEffect = (errors: ErrorList, effect: string, path: string): void => {
  if (effect === "") errors.required(path)
  else if (!effects.includes(effect)) errors.notSupported(path, effect, effects)
}
