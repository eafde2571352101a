import type { Pod } from "@rollcall/api"
import { type PodCallbacks, PodRecord } from "../pod/PodRecord.ts"

/** What the owner of the static pods does about their mirrors. */
export interface MirrorCallbacks {
  /** The API has returned this version of a mirror. */
  readonly mirrorChanged: (mirror: Pod) => void
  /** Makes the API show the pod by a mirror. */
  readonly syncMirror: (record: StaticPodRecord) => void
  /** Nothing of a static pod is left on the node. */
  readonly podForgotten: () => void
}

/** A static pod: defined by a manifest, and shown in the API by a mirror pod. */
export class StaticPodRecord extends PodRecord {
  /** The mirror in the API, as last seen. */
  mirror: Pod | undefined = undefined
  /** Whether a request to create the mirror, or to delete a wrong one, is in flight. */
  isRequestInFlight = false
  private readonly mirrors: MirrorCallbacks

  constructor(callbacks: PodCallbacks, pod: Pod, mirrors: MirrorCallbacks) {
    super(callbacks, pod)
    this.mirrors = mirrors
  }

  override get apiPod(): Pod | undefined {
    return this.mirror
  }

  /** A mirror is told how the pod of a removed manifest ends, unless it is that of another pod by then. */
  override get isReported(): boolean {
    return this.present || this.mirror !== undefined
  }

  override updateFromApi(pod: Pod): boolean {
    // The mirror of a pod whose manifest was removed is of no use any more.
    if (this.present) this.mirrors.mirrorChanged(pod)
    return true
  }

  override get restartsAfterPowerLoss(): boolean {
    return true
  }

  override onSync(): void {
    this.mirrors.syncMirror(this)
  }

  override onForget(): void {
    // The mirror is deleted once it has the last status.
    if (this.sending) return
    this.mirror = undefined
    this.mirrors.podForgotten()
  }
}
