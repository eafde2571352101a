import type { Pod } from "@rollcall/api"
import { type PodCallbacks, PodRecord } from "../pod/PodRecord.ts"

/** Maintains the mirrors of static pods. */
export interface MirrorCallbacks {
  readonly seen: (mirror: Pod) => void
  readonly attend: (record: StaticPodRecord) => void
  readonly gone: () => void
}

/** A static pod: defined by a manifest, and shown in the API by a mirror pod. */
export class StaticPodRecord extends PodRecord {
  /** The mirror in the API, as last seen. */
  mirror: Pod | undefined = undefined
  /** A request to create the mirror, or to delete a wrong one, is in flight. */
  asking = false
  private readonly mirrors: MirrorCallbacks

  constructor(keeper: PodCallbacks, pod: Pod, mirrors: MirrorCallbacks) {
    super(keeper, pod)
    this.mirrors = mirrors
  }

  override get apiPod(): Pod | undefined {
    return this.mirror
  }

  override shown(pod: Pod): void {
    this.mirrors.seen(pod)
  }

  /** Its spec never comes from the API; its state is in its status. */
  override get podNow(): Pod {
    return { ...this.pod, status: this.status }
  }

  override get comesBackWithMachine(): boolean {
    return true
  }

  override attended(): void {
    this.mirrors.attend(this)
  }

  override forgotten(): void {
    this.mirrors.gone()
  }
}
