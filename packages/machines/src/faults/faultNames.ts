/** The faults of nodes and of the control plane. */
export const faults = [
  "partition",
  "crash",
  "kubelet-stop",
  "latency",
  "loss",
  "clock-skew",
  "memory-pressure",
  "disk-pressure",
  "pid-pressure",
  "runtime-down",
  "network-unavailable",
  "kubelet-not-ready",
  "api-server-down",
  "controller-restart",
  "cloud-delete",
  "cloud-deny",
  "cloud-error",
  "cloud-latency"
] as const
export type FaultName = (typeof faults)[number]
