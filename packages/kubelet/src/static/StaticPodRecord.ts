import type { Pod } from "@rollcall/api"
import { type PodKeeper, PodRecord } from "../pod/PodRecord.ts"

/** Who keeps the mirrors of static pods. */
export interface MirrorKeeper {
  readonly seen: (mirror: Pod) => void
  readonly attend: (record: StaticPodRecord) => void
  readonly gone: () => void
}

/** A pod of the node's own: what it is stands in a manifest, and a mirror shows it in the API. */
export class StaticPodRecord extends PodRecord {
  /** The pod in the API that shows this one, as last seen. */
  mirror: Pod | undefined = undefined
  /** A mirror is being created, or one that is not right deleted. */
  asking = false
  private readonly mirrors: MirrorKeeper

  constructor(keeper: PodKeeper, pod: Pod, mirrors: MirrorKeeper) {
    super(keeper, pod)
    this.mirrors = mirrors
  }

  override get apiPod(): Pod | undefined {
    return this.mirror
  }

  override shown(pod: Pod): void {
    this.mirrors.seen(pod)
  }

  /** What it is never comes from the API; where it stands is in its status. */
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
