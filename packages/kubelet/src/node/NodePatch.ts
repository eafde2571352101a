import type { Node } from "@rollcall/api"
import { createNodeStatusPatch, type JsonMap } from "@rollcall/api/patch"

const EMPTY_STATUS_PATCH: JsonMap = { status: {} }

/**
 * Returns the strategic merge patch of the status subresource from `before` to `after`, including labels and
 * annotations. It has no resourceVersion, and contains only changed conditions, so that other writers' conditions are
 * not overwritten. Without a difference the patch is empty: a report that is due is sent even then.
 */
export const nodePatch = (before: Node, after: Node): JsonMap =>
  createNodeStatusPatch(before, after) ?? EMPTY_STATUS_PATCH
