import * as Context from "effect/Context"

/** Observes the volume controllers. Called synchronously; must not throw. */
export interface VolumeObserver {
  /** A volume was detached from a node; `forced` says that it was not checked whether this was safe. */
  readonly volumeDetached: (detached: {
    readonly node: string
    readonly volume: string
    readonly forced: boolean
  }) => void
}

/** The observer that the controllers of this package report to; the default ignores everything. */
export const CurrentVolumeObserver = Context.Reference<VolumeObserver>("@rollcall/volumes/CurrentVolumeObserver", {
  defaultValue: () => ({ volumeDetached: () => {} })
})
