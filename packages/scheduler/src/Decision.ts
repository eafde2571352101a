import type { PodInfo } from "./cache/CacheRecords.ts"

/** What one scheduling cycle decides. */
export type Decision =
  | { readonly _tag: "Bind"; readonly node: string }
  | {
      readonly _tag: "Unschedulable"
      /** As Kubernetes words it. */
      readonly message: string
      /** The filters that an event must concern to be of help. */
      readonly plugins: ReadonlyArray<string>
      /** A node on which the pod will fit once the victims are gone. */
      readonly nominated?: { readonly node: string; readonly victims: ReadonlyArray<PodInfo> }
      /** An earlier promise of room stands. */
      readonly keepsNomination?: boolean
    }
