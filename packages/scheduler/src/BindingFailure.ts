import type { Refusal } from "./BindingPlugin.ts"
import { unavailable } from "./FailureMessage.ts"

/** Why a pod was not bound to the selected node. */
export type BindingFailure =
  | {
      readonly _tag: "Rejected"
      readonly message: string
      /** The plugins whose events can make the pod schedulable; none: it is retried after its back-off. */
      readonly plugins: ReadonlyArray<string>
      /** An event that has happened meanwhile and may make it schedulable. */
      readonly helped?: string
    }
  | { readonly _tag: "Failed"; readonly message: string }
  /** The pod no longer exists. */
  | { readonly _tag: "Gone" }

/** The message of a value that a plugin threw. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The failure of one plugin at one extension point, in kube-scheduler's words. */
export const pluginFailed = (
  point: "Reserve" | "Permit" | "PreBind" | "Bind",
  plugin: string,
  message: string
): BindingFailure => ({ _tag: "Failed", message: `running ${point} plugin ${JSON.stringify(plugin)}: ${message}` })

/** The failure of a pod that was refused on the selected node. Upstream: schedule_one.go, FitError with one node. */
export const rejectedBy = (plugins: ReadonlyArray<string>, reason: string, helped?: string): BindingFailure => ({
  _tag: "Rejected",
  message: unavailable(1, new Map([[reason, 1]])),
  plugins,
  ...(helped === undefined ? {} : { helped })
})

export const refusedBy = (point: "Reserve" | "Permit", plugin: string, refusal: Refusal): BindingFailure =>
  refusal._tag === "Error" ? pluginFailed(point, plugin, refusal.message) : rejectedBy([plugin], refusal.reason)
