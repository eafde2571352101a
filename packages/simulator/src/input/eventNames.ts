/** What can befall nodes and the control plane, and what an operator can do. */
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

export const actions = [
  "apply",
  "delete",
  "patch",
  "cordon",
  "uncordon",
  "drain",
  "taint",
  "untaint",
  "label",
  "scale",
  "poweroff",
  "boot",
  "shutdown",
  "cancel-shutdown",
  "out-of-service",
  "clear-out-of-service"
] as const
export type ActionName = (typeof actions)[number]
