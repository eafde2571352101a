import type { Refusal } from "./BindingPlugin.ts"
import { unavailable } from "./FailureMessage.ts"

/** Why a pod was not bound to the node that was chosen for it. */
export type BindingFailure =
  | {
      readonly _tag: "Rejected"
      readonly message: string
      /** Those that an event must concern to be of help; none: it is tried again after its back-off. */
      readonly plugins: ReadonlyArray<string>
      /** What has happened meanwhile that may be of help already. */
      readonly helped?: string
    }
  | { readonly _tag: "Failed"; readonly message: string }
  /** The cluster knows of no such pod any more. */
  | { readonly _tag: "Gone" }

/** What a plugin threw, in the place of an error that it tells of. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** An error of one plugin at one extension point, as kube-scheduler words it. */
export const pluginFailed = (
  point: "Reserve" | "Permit" | "PreBind" | "Bind",
  plugin: string,
  message: string
): BindingFailure => ({ _tag: "Failed", message: `running ${point} plugin ${JSON.stringify(plugin)}: ${message}` })

/** The one node that there was to choose from is refused. Upstream: schedule_one.go, FitError with one node. */
export const rejectedBy = (plugins: ReadonlyArray<string>, reason: string, helped?: string): BindingFailure => ({
  _tag: "Rejected",
  message: unavailable(1, new Map([[reason, 1]])),
  plugins,
  ...(helped === undefined ? {} : { helped })
})

export const refusedBy = (point: "Reserve" | "Permit", plugin: string, refusal: Refusal): BindingFailure =>
  refusal._tag === "Error" ? pluginFailed(point, plugin, refusal.message) : rejectedBy([plugin], refusal.reason)
