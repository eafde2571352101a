import type { PressureKind } from "./node/Conditions.ts"

/** Tells a kubelet about events of its modelled machine. */
export interface MachineEvents {
  /** The machine has lost power, so that its containers and its kubelet's process have ended. */
  readonly powerLost: () => void
  /** The machine is on again, with a new boot id. The caller calls `startKubelet` next. */
  readonly booted: () => void
  /**
   * The link has recovered. A kubelet does not notice that, and its back-offs continue, unless
   * `KubeletModel.heartbeatOnReconnect` is set.
   */
  readonly reconnected: () => void
  /** The node reports pressure, or no longer does, regardless of measurements. */
  readonly pressure: (kind: PressureKind, underPressure: boolean) => void
  readonly runtimeDown: (down: boolean) => void
  readonly networkUnavailable: (unavailable: boolean) => void
  /** The node's clock is from now on ahead of the kubelet's timers by this many milliseconds. */
  readonly clockSkewed: (skewMs: number) => void
}
