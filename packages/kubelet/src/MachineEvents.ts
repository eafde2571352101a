import type { PressureKind } from "./node/Conditions.ts"

/** Events of a modelled machine, as its kubelet notices them; called by the machine's owner. */
export interface MachineEvents {
  /** The machine is off: its containers and its kubelet's process have ended. */
  readonly powerLost: () => void
  /** The machine is on again, with a new boot id; its owner then calls `startKubelet`. */
  readonly booted: () => void
  /**
   * The link has recovered. A kubelet does not notice that, and its back-offs continue, unless the model says
   * otherwise.
   */
  readonly reconnected: () => void
  /** The node reports pressure, regardless of measurements. */
  readonly pressure: (kind: PressureKind, underPressure: boolean) => void
  readonly runtimeDown: (down: boolean) => void
  readonly networkUnavailable: (unavailable: boolean) => void
  /** How far the node's clock is ahead of the world's, from now on. */
  readonly clockSkewed: (skewMs: number) => void
}
