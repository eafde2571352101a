import type { AdmissionMeter } from "./admission/metrics.ts"
import type { ResizeMeter } from "./allocation/metrics.ts"
import type { CredentialMeter } from "./credentials/metrics.ts"
import type { EvictionMeter } from "./eviction/metrics.ts"
import type { ImageMeter } from "./images/metrics.ts"

/** Receives the metrics of a kubelet. The kubelets of one process may share a meter. */
export interface KubeletMeter extends AdmissionMeter, CredentialMeter, EvictionMeter, ImageMeter, ResizeMeter {}
