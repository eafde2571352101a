import type { Refusal } from "./BindingPlugin.ts"
import { unavailableMessage } from "./FailureMessage.ts"

/** Why a pod was not bound to the selected node. */
export type BindingFailure =
  | {
      readonly _tag: "Rejected"
      readonly message: string
      /** The plugins whose events can make the pod schedulable; if empty, the pod is retried after its back-off. */
      readonly plugins: ReadonlyArray<string>
      /** The label of an event that has happened since and may make the pod schedulable: it is requeued at once. */
      readonly helpfulEvent?: string
    }
  /** An error: the pod is retried after its back-off. */
  | { readonly _tag: "Failed"; readonly message: string }
  /** The pod no longer exists. */
  | { readonly _tag: "Gone" }

/** The message of a thrown value. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The failure of one plugin at one extension point, in kube-scheduler's words. */
export const pluginFailed = (
  point: "Reserve" | "Permit" | "PreBind" | "Bind",
  plugin: string,
  message: string
): BindingFailure => ({ _tag: "Failed", message: `running ${point} plugin ${JSON.stringify(plugin)}: ${message}` })

/**
 * The failure of a pod that plugins rejected on the selected node; its message counts that node as the only one.
 * Upstream: schedule_one.go, FitError with one node.
 */
export const rejectedBy = (plugins: ReadonlyArray<string>, reason: string, helpfulEvent?: string): BindingFailure => ({
  _tag: "Rejected",
  message: unavailableMessage(1, new Map([[reason, 1]])),
  plugins,
  ...(helpfulEvent === undefined ? {} : { helpfulEvent })
})

/** The failure for the refusal of one plugin. */
export const refusedBy = (point: "Reserve" | "Permit", plugin: string, refusal: Refusal): BindingFailure =>
  refusal._tag === "Error" ? pluginFailed(point, plugin, refusal.message) : rejectedBy([plugin], refusal.reason)
