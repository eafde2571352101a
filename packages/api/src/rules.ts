// Rules without Effect: of quantities, times, taints and tolerations. The index has these and those about whole objects.

// Quantities.

export type { Amount, QuantityFormat } from "./quantity/Amount.ts"
export { decimalText } from "./quantity/format.ts"
export { QuantityError } from "./quantity/parse.ts"
export {
  addQuantity,
  amountOf,
  approximateValue,
  canonicalQuantity,
  compareQuantity,
  equalQuantity,
  formatQuantity,
  makeMilliQuantity,
  makeQuantity,
  milliValue,
  negateQuantity,
  type QuantityLike,
  roundUpQuantity,
  scaledValue,
  signOf,
  subtractQuantity,
  value,
  zeroQuantity
} from "./quantity/Quantity.ts"

// Times and durations.

export { formatDuration, parseDuration } from "./Duration.ts"
export { formatMicroTime, formatTime, parseTime } from "./Time.ts"

// Taints and tolerations, and the phase of a pod.

export { isPodTerminal } from "./PodPhase.ts"
export {
  addTaints,
  diffTaints,
  findTaint,
  formatTaint,
  hasTaint,
  hasTaintKey,
  isSameTaint,
  removeTaints,
  type Taint,
  type TaintEffect,
  taintsWithEffect
} from "./Taint.ts"
export {
  findToleration,
  findUntoleratedTaint,
  matchingTolerations,
  minTolerationSeconds,
  type Toleration,
  toleratesTaint
} from "./Toleration.ts"

// Names of labels, annotations, taints, conditions and finalizers.

export {
  annotationConfigHash,
  annotationConfigMirror,
  annotationConfigSeen,
  annotationConfigSource,
  annotationControllerManagedAttach,
  annotationPodDeletionCost,
  annotationProvidedNodeIP,
  defaultNamespace,
  foregroundFinalizer,
  labelArch,
  labelBetaArch,
  labelBetaInstanceType,
  labelBetaOS,
  labelBetaRegion,
  labelBetaZone,
  labelExcludeDisruption,
  labelHostname,
  labelInstanceType,
  labelNamespaceName,
  labelOS,
  labelRegion,
  labelZone,
  nodeLeaseNamespace,
  nodeReady,
  nodesGroup,
  nodeUserPrefix,
  orphanFinalizer,
  podDisruptionTarget,
  podScheduled,
  systemClusterCritical,
  systemCriticalPriority,
  systemNamespace,
  systemNodeCritical,
  taintCloudShutdown,
  taintCloudUninitialized,
  taintDiskPressure,
  taintMemoryPressure,
  taintNetworkUnavailable,
  taintNotReady,
  taintOutOfService,
  taintPIDPressure,
  taintUnreachable,
  taintUnschedulable
} from "./wellKnown.ts"
