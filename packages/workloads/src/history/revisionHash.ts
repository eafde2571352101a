import { escapeHtml } from "@rollcall/api"
import { FNV_OFFSET, FNV_PRIME } from "@rollcall/time"
import { safeEncode } from "../safeEncode.ts"

/** Returns the UTF-8 bytes of a text, each as one character. */
const bytesOf = (text: string): string =>
  encodeURIComponent(text).replace(/%(..)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

/** Returns the 32-bit FNV-1 hash of a text's UTF-8 bytes: it multiplies first, unlike FNV-1a. */
const fnv1 = (text: string): number => {
  const bytes = bytesOf(text)
  let hash = FNV_OFFSET
  for (let index = 0; index < bytes.length; index++) hash = Math.imul(hash, FNV_PRIME) ^ bytes.charCodeAt(index)
  return hash >>> 0
}

/**
 * The hash in the name of a StatefulSet's revision, the same as Kubernetes': of the data as Go writes it, and of the collision count.
 * Upstream: pkg/controller/history/controller_history.go HashControllerRevision.
 */
export const revisionHash = (data: string, collisionCount: number): string =>
  safeEncode(fnv1(`${escapeHtml(data)}${collisionCount}`))
