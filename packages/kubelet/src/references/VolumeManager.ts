import type { Pod } from "@rollcall/api"
import type { Timer, TimersShape } from "@rollcall/time"
import { type ClaimedVolume, claimedVolumes, readClaims, unmountedMessage } from "./claims.ts"
import { type Answers, volumeProblemOf } from "./problems.ts"
import { type Reference, type VolumeReferences, volumeReferences } from "./Reference.ts"
import type { ReferenceReader } from "./ReferenceReader.ts"

/** The delay after the first failure to set up a volume; each further one doubles it. Upstream: goroutinemap/exponentialbackoff. */
const FIRST_DELAY_MS = 500
const MAX_DELAY_MS = 122_000
/** How often, and how long, a sync of a pod looks whether its volumes are set up. Upstream: volume_manager.go. */
const POLL_MS = 300
const SYNC_MS = 123_000
/** The delay of the next sync after one that has failed. Upstream: backOffPeriod, workerBackOffPeriodJitterFactor of pkg/kubelet. */
const BACK_OFF_MS = 10_000
const JITTER = 0.5

/** What the volumes of one node's pods need. */
export interface VolumeManagerParts {
  readonly timers: TimersShape
  readonly reader: ReferenceReader
  /** Returns numbers from 0 to below 1. */
  readonly random: () => number
  /** Whether the kubelet's process runs and its runtime responds: only then it sets up volumes, and starts pods. */
  readonly isRunning: () => boolean
}

/** A pod whose volumes are being set up. */
interface WaitingPod {
  readonly pod: Pod
  readonly beganMs: number
  readonly timers: Set<Timer>
  readonly warn: (reason: string, message: string) => void
  /** What is read once they are set up. */
  readonly then: ReadonlyArray<Reference>
  readonly start: (answers: Answers) => void
  /** The volumes that are not set up. */
  left: number
  /** Whether a volume has failed. */
  hasFailed: boolean
}

/**
 * Sets up the volumes of pods from ConfigMaps and Secrets, each again and again until it succeeds, and looks at their claims with each sync
 * of the pod until all are bound; a pod starts once all are set up.
 * Upstream: pkg/kubelet/volumemanager, pkg/volume/util/operationexecutor.
 */
export class VolumeManager {
  private readonly parts: VolumeManagerParts
  private readonly waiting = new Map<string, WaitingPod>()

  constructor(parts: VolumeManagerParts) {
    this.parts = parts
  }

  /** Sets up the pod's volumes, then reads `then` and calls `start` with it: within the call, or later. */
  mount(
    pod: Pod,
    then: ReadonlyArray<Reference>,
    warn: (reason: string, message: string) => void,
    start: (answers: Answers) => void
  ): void {
    const volumes = volumeReferences(pod)
    const claims = claimedVolumes(pod)
    const beganMs = this.parts.timers.now()
    const left = volumes.length + (claims.length > 0 ? 1 : 0)
    const waits: WaitingPod = { pod, beganMs, timers: new Set(), warn, then, start, left, hasFailed: false }
    this.waiting.set(pod.metadata.uid ?? "", waits)
    if (left === 0) this.start(waits)
    for (const volume of volumes) this.setUp(waits, volume, FIRST_DELAY_MS)
    if (claims.length > 0) this.process(waits, claims)
  }

  /** Stops to set up a pod's volumes, and calls `then` later. Returns false, and calls nothing, if that is not in progress. */
  cancel({ metadata: { uid = "" } }: Pod, then: () => void): boolean {
    const waits = this.waiting.get(uid)
    if (waits === undefined) return false
    this.forget(uid, waits)
    this.parts.timers.after(0, then)
    return true
  }

  /** Forgets everything, because the machine lost power. */
  clear(): void {
    for (const [uid, waits] of this.waiting) this.forget(uid, waits)
  }

  private forget(uid: string, { timers }: WaitingPod): void {
    for (const timer of timers) this.parts.timers.cancel(timer)
    timers.clear()
    this.waiting.delete(uid)
  }

  private isCurrent(waits: WaitingPod): boolean {
    return this.waiting.get(waits.pod.metadata.uid ?? "") === waits
  }

  private setUp(waits: WaitingPod, volume: VolumeReferences, delayMs: number): void {
    const { isRunning, reader } = this.parts
    if (!isRunning()) {
      // A process that starts anew knows nothing of the failures.
      this.later(waits, BACK_OFF_MS, () => this.setUp(waits, volume, FIRST_DELAY_MS))
      return
    }
    reader.read(waits.pod.metadata.namespace ?? "", volume.references, (answers) => {
      if (!this.isCurrent(waits)) return
      const problem = volumeProblemOf(volume.references, answers)
      if (problem === undefined) {
        this.isSetUp(waits)
        return
      }
      waits.hasFailed = true
      const failed = `MountVolume.SetUp failed for volume ${JSON.stringify(volume.volume)} : ${problem}`
      waits.warn("FailedMount", failed)
      this.later(waits, delayMs, () => this.setUp(waits, volume, Math.min(2 * delayMs, MAX_DELAY_MS)))
    })
  }

  /** Looks at the claims of a pod, as each of its syncs does. */
  private process(waits: WaitingPod, claims: ReadonlyArray<ClaimedVolume>): void {
    const { isRunning, random, reader } = this.parts
    const again = () => this.process(waits, claims)
    if (!isRunning()) {
      this.later(waits, BACK_OFF_MS, again)
      return
    }
    readClaims(reader, waits.pod, claims, (faults) => {
      if (!this.isCurrent(waits)) return
      if (faults.length === 0) {
        this.isSetUp(waits)
        return
      }
      this.later(waits, POLL_MS, () => waits.warn("FailedMount", unmountedMessage(faults)))
      this.later(waits, POLL_MS + BACK_OFF_MS * (1 + JITTER * random()), again)
    })
  }

  private later(waits: WaitingPod, delayMs: number, act: () => void): void {
    const timer = this.parts.timers.after(delayMs, () => {
      waits.timers.delete(timer)
      act()
    })
    waits.timers.add(timer)
  }

  private isSetUp(waits: WaitingPod): void {
    waits.left -= 1
    if (waits.left > 0) return
    const now = this.parts.timers.now()
    const delayMs = waits.hasFailed ? this.seenMs(waits.beganMs, now) - now : 0
    if (delayMs === 0) this.start(waits)
    else this.later(waits, delayMs, () => this.start(waits))
  }

  private start(waits: WaitingPod): void {
    if (!this.parts.isRunning()) {
      this.later(waits, BACK_OFF_MS, () => this.start(waits))
      return
    }
    const { namespace = "", uid = "" } = waits.pod.metadata
    this.parts.reader.read(namespace, waits.then, (answers) => {
      if (!this.isCurrent(waits)) return
      this.forget(uid, waits)
      waits.start(answers)
    })
  }

  /** Returns when a sync of the pod sees what is so from now on: it looks now and then, and the next one comes after a back-off. */
  private seenMs(beganMs: number, nowMs: number): number {
    let syncMs = beganMs
    while (syncMs + SYNC_MS < nowMs) syncMs += SYNC_MS + BACK_OFF_MS * (1 + JITTER * this.parts.random())
    return syncMs + Math.max(0, Math.ceil((nowMs - syncMs) / POLL_MS)) * POLL_MS
  }
}
