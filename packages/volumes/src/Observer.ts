import * as Context from "effect/Context"

/** Where the controllers of volumes are watched at work. Called synchronously; must not throw. */
export interface VolumeObserver {
  /** A volume is off a node; `forced`: nobody has looked whether that was safe. */
  readonly volumeDetached: (detached: {
    readonly node: string
    readonly volume: string
    readonly forced: boolean
  }) => void
}

/** The observer that the controllers of this package report to; by default nobody. */
export const CurrentVolumeObserver = Context.Reference<VolumeObserver>("@rollcall/volumes/CurrentVolumeObserver", {
  defaultValue: () => ({ volumeDetached: () => {} })
})
