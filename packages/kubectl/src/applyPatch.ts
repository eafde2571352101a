import { isKindName, type KubeObject, resourceOf } from "@rollcall/api"
import { applyMergePatch, applyStrategicPatch, diffDocuments, type Json } from "@rollcall/api/patch"
import { goJson } from "@rollcall/api/printing"
import { putMember } from "@rollcall/api/wire"
import * as Result from "effect/Result"
import type { Mapping } from "./Mapping.ts"

export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"

type JsonObject = Readonly<Record<string, unknown>>

const isMap = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns the JSON merge patch from one document to another; empty if they are equal. */
export const createMergePatch = (from: unknown, to: unknown): JsonObject => {
  const patch: Record<string, unknown> = {}
  const before = isMap(from) ? from : {}
  const after = isMap(to) ? to : {}
  for (const key of Object.keys(before)) if (!Object.hasOwn(after, key)) putMember(patch, key, null)
  for (const [key, value] of Object.entries(after)) {
    const old = Object.hasOwn(before, key) ? before[key] : undefined
    if (isMap(old) && isMap(value)) {
      const inner = createMergePatch(old, value)
      if (Object.keys(inner).length > 0) putMember(patch, key, inner)
    } else if (goJson(old ?? null) !== goJson(value)) putMember(patch, key, value)
  }
  return patch
}

/** A patch type, with the functions that compute and apply its patches. */
interface PatchFormat {
  readonly type: "strategic" | "merge"
  readonly diff: (from: object, to: object) => JsonObject
  readonly apply: (document: unknown, patch: unknown) => Result.Result<Json, unknown>
}

const mergeFormat: PatchFormat = { type: "merge", diff: createMergePatch, apply: applyMergePatch }

/** Returns the patch type for a resource: strategic merge if its kind is built in, otherwise JSON merge. */
const patchFormatOf = ({ group, kind, version }: Mapping): PatchFormat => {
  if (!isKindName(kind)) return mergeFormat
  const known = resourceOf(kind)
  if (known.group !== group || known.version !== version) return mergeFormat
  return {
    type: "strategic",
    diff: (from, to) => diffDocuments(kind, from, to),
    apply: (document, patch) => applyStrategicPatch(kind, document, patch)
  }
}

/** Returns the manifest with its own JSON in the last-applied annotation. */
export const withLastApplied = (object: KubeObject): KubeObject => {
  const { [lastAppliedAnnotation]: _, ...annotations } = object.metadata.annotations ?? {}
  const plain = { ...object, metadata: { ...object.metadata, annotations } }
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...annotations, [lastAppliedAnnotation]: `${goJson(plain)}\n` } }
  }
}

/** Returns the last applied manifest; undefined if there is none. */
export const lastAppliedOf = ({ metadata }: KubeObject): KubeObject | undefined => {
  const text = metadata.annotations?.[lastAppliedAnnotation]
  if (text === undefined || text === "") return undefined
  try {
    return JSON.parse(text) as KubeObject
  } catch {
    return undefined
  }
}

export interface ApplyPatch {
  readonly type: "strategic" | "merge"
  /** Empty if the object is up to date. */
  readonly body: JsonObject
}

/**
 * Returns the three-way patch of an apply: it removes fields that the last manifest had and this one lacks, sets the
 * fields of this one, and keeps fields that neither has. Upstream: kubectl/pkg/cmd/apply/patcher.go.
 */
export const threeWayPatch = (
  mapping: Mapping,
  current: KubeObject,
  modified: KubeObject
): Result.Result<ApplyPatch, string> => {
  const { apply, diff, type } = patchFormatOf(mapping)
  const original = lastAppliedOf(current)
  const { creationTimestamp: _, ...metadata } = modified.metadata
  const manifest = { ...modified, metadata }
  const removal = original === undefined ? {} : diff(original, manifest)
  const target = Result.flatMap(apply(current, removal), (document) => apply(document, manifest))
  if (Result.isFailure(target)) return Result.fail(String(target.failure))
  if (!isMap(target.success) || goJson(target.success) === goJson(current)) return Result.succeed({ type, body: {} })
  return Result.succeed({ type, body: diff(current, target.success) })
}
