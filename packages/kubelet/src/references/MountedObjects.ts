import type { ConfigMap, KubeObject, Pod, Secret } from "@rollcall/api"
import { type Connection, Reflector } from "@rollcall/cluster"
import type { Rng, Timer, TimersShape } from "@rollcall/time"
import type { Reference } from "./Reference.ts"
import type { ReferenceReader } from "./ReferenceReader.ts"

/** How often unused watches are looked for, and after how many periods of syncs one is. Upstream: watch_based_manager.go. */
const SWEEP_MS = 60_000
const IDLE_PERIODS = 5
/** The greatest fraction that is added to the time between two syncs of a pod. Upstream: workerResyncIntervalJitterFactor. */
const JITTER = 0.5
/** The objects that are watched, and those that are kept for running containers. */
const MAX_WATCHES = 100
const MAX_PODS = 1_000
const MAX_FIXED = 1_000
const MIN_SYNC_MS = 1_000

type MountedObject = ConfigMap | Secret | undefined

interface MountedObjectsParts {
  readonly connection: Connection
  readonly timers: TimersShape
  readonly reader: ReferenceReader
  readonly random: Rng
  /** The time between two syncs of a pod, without jitter. */
  readonly syncFrequencyMs: number
}

/** How a container reads an object. */
export interface Reading {
  readonly pod: Pod
  /** The run of a container that sees the object as it was then; undefined for files of a volume, which follow it. */
  readonly run: string | undefined
  /** Whether the reader may see changes, so that the object is watched from now on. */
  readonly isWatched: boolean
}

/** What the volumes of one pod show of an object, and when they are next brought up to date. */
interface Shown {
  object: MountedObject
  syncMs: number
  readonly isOptional: boolean
}

interface Watched {
  readonly reflector: Reflector
  readonly pods: Map<string, Shown>
  /** Those who wait for the first list; undefined after it. */
  waiting: Array<() => void> | undefined
  object: MountedObject
  changedMs: number
  readMs: number
}

/**
 * The ConfigMaps and Secrets in the volumes and variables of running containers, as commands in them see them. Upstream sets volumes up
 * anew with each sync of their pod, from a watch of each object. That shows only when a command reads them: an object is watched from
 * then on, as long as it is read now and then.
 */
export class MountedObjects {
  private readonly parts: MountedObjectsParts
  private readonly watched = new Map<string, Watched>()
  private readonly fixed = new Map<string, MountedObject>()
  private sweep: Timer | undefined = undefined

  constructor(parts: MountedObjectsParts) {
    this.parts = parts
  }

  /** Passes what a container sees of an object: within the call, or later. */
  read(reference: Reference, reading: Reading, done: (object: MountedObject) => void): void {
    const { metadata } = reading.pod
    const key = `${reference.kind}/${metadata.namespace}/${reference.name}`
    const runKey = reading.run === undefined ? undefined : `${metadata.uid}/${reading.run}/${key}`
    if (runKey !== undefined && this.fixed.has(runKey)) {
      done(this.fixed.get(runKey))
      return
    }
    const take = (object: MountedObject): void => {
      if (runKey !== undefined && object !== undefined) this.fix(runKey, object)
      done(object)
    }
    const known = this.watched.get(key)
    if (known === undefined && !reading.isWatched) this.readOnce(reference, metadata.namespace ?? "", take)
    else this.readWatched(known ?? this.watch(key, reference, metadata.namespace ?? ""), reference, reading, take)
  }

  /** Ends with the kubelet's process. */
  stop(): void {
    for (const [key, watched] of this.watched) this.end(key, watched)
    if (this.sweep !== undefined) this.parts.timers.cancel(this.sweep)
    this.sweep = undefined
  }

  private readOnce(reference: Reference, namespace: string, take: (object: MountedObject) => void): void {
    this.parts.reader.read(namespace, [reference], (answers) => {
      const answer = answers(reference)
      take(typeof answer === "string" ? undefined : (answer as MountedObject))
    })
  }

  private readWatched(
    watched: Watched,
    reference: Reference,
    { pod, run }: Reading,
    take: (object: MountedObject) => void
  ): void {
    const { timers } = this.parts
    watched.readMs = timers.now()
    if (watched.waiting !== undefined) {
      watched.waiting.push(() => this.readWatched(watched, reference, { pod, run, isWatched: true }, take))
      return
    }
    if (run !== undefined) {
      take(watched.object)
      return
    }
    const shown = this.shownTo(pod, watched, reference)
    this.bringUpToDate(watched, shown)
    take(shown.object)
  }

  private shownTo({ metadata: { uid = "" } }: Pod, { object, pods }: Watched, { isOptional }: Reference): Shown {
    const known = pods.get(uid)
    if (known !== undefined) return known
    const [oldest] = pods.keys()
    if (pods.size >= MAX_PODS && oldest !== undefined) pods.delete(oldest)
    const shown = { object, syncMs: this.parts.timers.now() + this.untilSyncMs(), isOptional }
    pods.set(uid, shown)
    return shown
  }

  private watch(key: string, { kind, name }: Reference, namespace: string): Watched {
    const { connection, random, timers } = this.parts
    const [oldest] = this.watched
    if (this.watched.size >= MAX_WATCHES && oldest !== undefined) this.end(...oldest)
    const changed = (object: KubeObject | undefined): void => {
      for (const shown of watched.pods.values()) this.bringUpToDate(watched, shown)
      watched.object = object as MountedObject
      watched.changedMs = timers.now()
      const waiting = watched.waiting ?? []
      watched.waiting = undefined
      for (const act of waiting) act()
    }
    const reflector = new Reflector(
      connection,
      timers,
      kind,
      { namespace, fieldSelector: `metadata.name=${name}` },
      {
        replace: ([object]) => changed(object),
        apply: ({ object, type }) => {
          if (type !== "ERROR" && type !== "BOOKMARK") changed(type === "DELETED" ? undefined : object)
        },
        failed: (_, stage) => {
          if (stage === "list" && watched.waiting !== undefined) this.end(key, watched)
        }
      },
      random
    )
    const nowMs = timers.now()
    const watched: Watched = {
      reflector,
      pods: new Map(),
      waiting: [],
      object: undefined,
      changedMs: nowMs,
      readMs: nowMs
    }
    this.watched.set(key, watched)
    this.sweep ??= timers.after(SWEEP_MS, this.endIdle)
    reflector.start()
    return watched
  }

  private end(key: string, watched: Watched): void {
    this.watched.delete(key)
    watched.reflector.stop()
    const waiting = watched.waiting ?? []
    watched.waiting = undefined
    for (const act of waiting) act()
  }

  private readonly endIdle = (): void => {
    const { syncFrequencyMs, timers } = this.parts
    const idleMs = Math.max(SWEEP_MS, IDLE_PERIODS * syncFrequencyMs)
    for (const [key, watched] of this.watched) if (timers.now() - watched.readMs > idleMs) this.end(key, watched)
    this.sweep = this.watched.size === 0 ? undefined : timers.after(SWEEP_MS, this.endIdle)
  }

  /**
   * Carries out the syncs of a pod that are due, of which each shows what has changed before it. A volume whose object was deleted cannot
   * be set up anew, and stays.
   */
  private bringUpToDate({ changedMs, object }: Watched, shown: Shown): void {
    const now = this.parts.timers.now()
    while (shown.syncMs <= now) {
      if (changedMs <= shown.syncMs && (object !== undefined || shown.isOptional)) shown.object = object
      shown.syncMs += this.untilSyncMs()
    }
  }

  private untilSyncMs(): number {
    return Math.max(MIN_SYNC_MS, this.parts.syncFrequencyMs) * (1 + JITTER * this.parts.random())
  }

  private fix(key: string, object: MountedObject): void {
    const [oldest] = this.fixed.keys()
    if (this.fixed.size >= MAX_FIXED && oldest !== undefined) this.fixed.delete(oldest)
    this.fixed.set(key, object)
  }
}
