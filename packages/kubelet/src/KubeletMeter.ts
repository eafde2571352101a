import type { AdmissionMeter } from "./admission/metrics.ts"
import type { EvictionMeter } from "./eviction/metrics.ts"

/** Receives a kubelet's metrics. The kubelets of one process may share one. */
export interface KubeletMeter extends AdmissionMeter, EvictionMeter {}
