import type { IntOrString } from "@rollcall/api"

/**
 * The number, or the percentage of `total`, that an IntOrString stands for; 0 for any other text. Upstream:
 * apimachinery/pkg/util/intstr.
 */
export const scaledValue = (value: IntOrString, total: number, round: (part: number) => number): number => {
  if (typeof value === "number") return value
  const percent = /^(\d+)%$/.exec(value)?.[1]
  return percent === undefined ? 0 : round((Number(percent) * total) / 100)
}
