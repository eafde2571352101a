import type { Node } from "@rollcall/api"
import { createNodeStatusPatch, type JsonMap } from "@rollcall/api/patch"

const nothing: JsonMap = { status: {} }

/**
 * The strategic merge patch of the status subresource from `before` to `after`, including labels and annotations. It
 * has no resourceVersion, and contains only changed conditions, so that other writers' conditions are not overwritten.
 * A due report is sent even without a change.
 */
export const nodePatch = (before: Node, after: Node): JsonMap => createNodeStatusPatch(before, after) ?? nothing
