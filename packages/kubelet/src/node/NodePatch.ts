import type { Node } from "@rollcall/api"
import { createNodeStatusPatch, type JsonMap } from "@rollcall/api/patch"

const nothing: JsonMap = { status: {} }

/**
 * The strategic merge patch of the status subresource that makes `after` of `before`, labels and annotations riding along. It
 * carries no resourceVersion, and names only conditions that differ, so that other writers of conditions are not overwritten.
 * A report that is due is sent even when it says nothing new.
 */
export const nodePatch = (before: Node, after: Node): JsonMap => createNodeStatusPatch(before, after) ?? nothing
