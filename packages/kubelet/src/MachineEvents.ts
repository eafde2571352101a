import type { PressureKind } from "./node/Conditions.ts"

/** What befalls a modelled machine, as its kubelet notices it: said by the owner of the machine. */
export interface MachineEvents {
  /** The machine is off: its containers are gone, and its kubelet's process, which is ended if it is there. */
  readonly powerLost: () => void
  /** The machine is on again, with another boot id; `startKubelet` is its owner's to call. */
  readonly booted: () => void
  /** The link is whole again. A kubelet does not know that, and its back-offs end when they end, unless the model says otherwise. */
  readonly reconnected: () => void
  /** The node says that it is under pressure, whatever was measured. */
  readonly pressure: (kind: PressureKind, underPressure: boolean) => void
  readonly runtimeDown: (down: boolean) => void
  readonly networkUnavailable: (unavailable: boolean) => void
  /** How far the node's clock is ahead of the world's, from now on. */
  readonly clockSkewed: (skewMs: number) => void
}
