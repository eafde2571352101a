import type { IntOrString } from "@rollcall/api"

/** A number, or a percentage of `total`; 0 for anything else. Upstream: apimachinery/pkg/util/intstr. */
export const scaledValue = (value: IntOrString, total: number, round: (part: number) => number): number => {
  if (typeof value === "number") return value
  const percent = /^(\d+)%$/.exec(value)?.[1]
  return percent === undefined ? 0 : round((Number(percent) * total) / 100)
}
