import { canonicalJson, escapeHtml, type KubeObject } from "@rollcall/api"
import { parseJson } from "@rollcall/api/wire"
import * as Result from "effect/Result"
import { isFields } from "../objects/values.ts"
import { isSteps, type Steps } from "../turns/Steps.ts"
import { compareInSteps } from "./compare.ts"
import { extractInSteps } from "./extract.ts"
import { difference, type FieldSet, union } from "./fieldSet.ts"
import type { StructSchema } from "./schema.ts"

/** The annotation in which kubectl's client-side apply records the applied configuration. */
export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"

/** Upstream: apimachinery/pkg/api/validation/objectmeta.go, TotalAnnotationSizeLimitB. */
const MAX_ANNOTATIONS = 256 * 1024

/**
 * Returns the fields that kubectl may take from any manager: they are in an earlier client-side apply, with unchanged
 * values. Upstream: apimachinery/pkg/util/managedfields/internal/lastappliedmanager.go.
 */
export const allowedByLastApplied = function* (live: KubeObject, schema: StructSchema): Steps<FieldSet | undefined> {
  const text = live.metadata.annotations?.[lastAppliedAnnotation]
  const applied = text === undefined || text === "" ? undefined : Result.getOrUndefined(parseJson(text))
  if (!isFields(applied)) return undefined
  const compared = compareInSteps(applied, live, schema)
  const { added, modified, removed } = isSteps(compared) ? yield* compared : compared
  const said = extractInSteps(applied, schema)
  return difference(isSteps(said) ? yield* said : said, union(union(modified, added), removed))
}

/**
 * Updates the annotation of an object that kubectl applied on the server, so that a client-side apply may follow.
 * Upstream: apimachinery/pkg/util/managedfields/internal/lastappliedupdater.go.
 */
export const withLastApplied = (object: KubeObject, config: KubeObject): KubeObject => {
  const before = object.metadata.annotations
  if (!before?.[lastAppliedAnnotation]) return object
  const { [lastAppliedAnnotation]: _, ...rest } = config.metadata.annotations ?? {}
  const { annotations: _annotations, ...metadata } = config.metadata
  const note = { ...config, metadata: Object.keys(rest).length === 0 ? metadata : { ...metadata, annotations: rest } }
  const annotations: Record<string, string> = { ...before, [lastAppliedAnnotation]: `${goJson(note)}\n` }
  const size = Object.entries(annotations).reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  if (size > MAX_ANNOTATIONS) delete annotations[lastAppliedAnnotation]
  return { ...object, metadata: { ...object.metadata, annotations } }
}

/** Formats JSON as Go writes maps: keys sorted, and HTML characters escaped. */
const goJson = (value: unknown): string => escapeHtml(canonicalJson(value))
