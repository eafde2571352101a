import type { KubeObject } from "@rollcall/api"
import type { AnyKind } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import type { KindCache } from "./KindCache.ts"
import type { SelectableKind } from "./Selection.ts"

/** The properties of a kind that watches need. */
export interface WatchedKind extends SelectableKind {
  readonly key: AnyKind
  readonly apiVersion: string
  /** The number of past events that are kept, from which watches can resume. */
  readonly watchHistoryEvents: number
  /** How the main resource shows a stored object, where it differs. */
  readonly strategy?: { asShown?(object: KubeObject): KubeObject }
}

/** What the watches of a kind need. */
export interface ChannelOptions {
  readonly definition: WatchedKind
  /** The objects of the kind. */
  readonly cache: KindCache
  /** Returns the revision of the objects in `cache`. */
  readonly revision: () => number
  readonly timers: TimersShape
}

/** How a watch starts. */
export interface WatchStart {
  /** Whether it first sends the existing objects as ADDED events. */
  readonly initial: boolean
  /** The revision after which it sends changes; with `initial`, the revision of the existing objects. */
  readonly after: number
  /** Whether a bookmark with the annotation k8s.io/initial-events-end follows the existing objects. */
  readonly bookmarkInitialEnd: boolean
}
