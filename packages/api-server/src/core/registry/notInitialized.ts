import { type Status, tooManyRequests } from "@rollcall/api"
import type { KindDefinition } from "./KindDefinition.ts"

/**
 * The answer to lists and watches from the watch cache of a version some of whose objects cannot be converted: the cache never becomes
 * ready. Upstream: storage/cacher/cacher.go GetList and Watch, ready.go.
 */
export const notInitialized = ({ apiVersion, resource }: KindDefinition, why: string): Status =>
  tooManyRequests(`storage is (re)initializing: failed to list ${apiVersion}, Kind=${resource.kind}: ${why}`, 1)
