import type { PodInfo } from "./cache/CacheRecords.ts"

/** The result of one scheduling cycle. */
export type Decision =
  | { readonly _tag: "Bind"; readonly node: string }
  | {
      readonly _tag: "Unschedulable"
      /** In Kubernetes' words. */
      readonly message: string
      /** The filters whose events can make the pod schedulable. */
      readonly plugins: ReadonlyArray<string>
      /** A node on which the pod fits once the victims are deleted. */
      readonly nominated?: { readonly node: string; readonly victims: ReadonlyArray<PodInfo> }
      /** An earlier nomination is kept. */
      readonly keepsNomination?: boolean
    }
