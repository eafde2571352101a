import type { AdmissionMeter } from "./admission/metrics.ts"
import type { EvictionMeter } from "./eviction/metrics.ts"

/** Counts what a kubelet does. Those of one process may share one. */
export interface KubeletMeter extends AdmissionMeter, EvictionMeter {}
