import { createHash } from "node:crypto"
import type { Resource } from "@rollcall/api"

/**
 * What discovery says of the version in which objects are stored, so that clients can tell when it moves.
 * Upstream: apiserver/pkg/endpoints/discovery/storageversionhash.go.
 */
export const storageVersionHash = ({ group, kind, version }: Pick<Resource, "group" | "kind" | "version">): string =>
  createHash("sha256").update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString("base64")
