import type { FamilySnapshot, Sample } from "@rollcall/time"

/** Returns a family of metrics; none without samples, as Prometheus' registry prints none. */
export const presentFamily = (
  name: string,
  help: string,
  samples: ReadonlyArray<Sample>,
  type: "counter" | "gauge" = "gauge"
): ReadonlyArray<FamilySnapshot> => (samples.length === 0 ? [] : [{ name, help, type, samples }])
