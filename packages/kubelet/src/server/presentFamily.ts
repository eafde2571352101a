import type { FamilySnapshot, Sample } from "@rollcall/time"

const valuesOf = ({ labels }: Sample): string => labels.map(([, value]) => value).join("\0")

/**
 * Returns a family of metrics as Prometheus' registry prints it: none without samples, and those sorted by the values of
 * their labels.
 */
export const presentFamily = (
  name: string,
  help: string,
  samples: ReadonlyArray<Sample>,
  type: "counter" | "gauge" = "gauge"
): ReadonlyArray<FamilySnapshot> => {
  if (samples.length === 0) return []
  const sorted = samples.toSorted((left, right) => (valuesOf(left) < valuesOf(right) ? -1 : 1))
  return [{ name, help, type, samples: sorted }]
}
