import type { RuntimeImage } from "../node/NodeInfo.ts"
import type { PodUsage } from "./NodeHost.ts"

/** Receives the usage of pods, as a modelled host does. */
export interface UsageSink {
  readonly setPodUsage: (uid: string, usage: PodUsage | undefined) => void
  /** Sets the images of the machine, the largest first. */
  readonly setImages?: (images: ReadonlyArray<RuntimeImage>) => void
}
