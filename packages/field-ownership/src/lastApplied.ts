import { canonicalJson, escapeHtml, type KubeObject } from "@rollcall/api"
import { isFields } from "@rollcall/api/values"
import { parseJson } from "@rollcall/api/wire"
import { isSteps, type Steps } from "@rollcall/time"
import * as Result from "effect/Result"
import { compareWrittenInSteps } from "./compare.ts"
import { extractInSteps } from "./extract.ts"
import { difference, type FieldSet, union } from "./fieldSet.ts"
import { goForm, type StructSchema } from "./schema.ts"

/** The annotation in which kubectl's client-side apply records the applied configuration. */
export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration"

/** Upstream: apimachinery/pkg/api/validation/objectmeta.go, TotalAnnotationSizeLimitB. */
const MAX_ANNOTATION_BYTES = 256 * 1024

/**
 * Returns the fields that kubectl may take from any manager without a conflict: those of its last client-side apply whose
 * values have not changed since. Returns undefined if there was none. Upstream:
 * apimachinery/pkg/util/managedfields/internal/lastappliedmanager.go.
 */
export const allowedByLastAppliedInSteps = function* (
  live: KubeObject,
  schema: StructSchema
): Steps<FieldSet | undefined> {
  const text = live.metadata.annotations?.[lastAppliedAnnotation]
  const applied = text === undefined || text === "" ? undefined : Result.getOrUndefined(parseJson(text))
  if (!isFields(applied)) return undefined
  const compared = compareWrittenInSteps(applied, goForm(live, schema), schema)
  const { added, modified, removed } = isSteps(compared) ? yield* compared : compared
  const extracted = extractInSteps(applied, schema)
  return difference(isSteps(extracted) ? yield* extracted : extracted, union(union(modified, added), removed))
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
  const recorded = {
    ...config,
    metadata: Object.keys(rest).length === 0 ? metadata : { ...metadata, annotations: rest }
  }
  const annotations: Record<string, string> = { ...before, [lastAppliedAnnotation]: `${goJson(recorded)}\n` }
  const size = Object.entries(annotations).reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  // Annotations beyond the limit would make the whole object invalid.
  if (size > MAX_ANNOTATION_BYTES) delete annotations[lastAppliedAnnotation]
  return { ...object, metadata: { ...object.metadata, annotations } }
}

/** Formats JSON as Go writes maps: keys sorted, and HTML characters escaped. */
const goJson = (value: unknown): string => escapeHtml(canonicalJson(value))
