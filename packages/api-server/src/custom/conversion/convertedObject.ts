import type { KubeObject } from "@rollcall/api"
import { ErrorList, fieldErrorText, validateAnnotations, validateLabels } from "@rollcall/api/validation"
import { type Fields, goTypeOf, isFields, sameValue } from "@rollcall/api/values"
import * as Result from "effect/Result"

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

const metadataOf = ({ metadata }: Fields): Fields => (isFields(metadata) ? metadata : {})

/** Returns the group and version of an object as Go prints them: nothing for an object without. */
export const groupVersionText = ({ apiVersion }: Fields): string => textOf(apiVersion)

/** Returns which part of the identity of an object its conversion changed. Upstream: validateConvertedObject. */
export const identityFault = (original: Fields, converted: Fields): string | undefined => {
  const [before, after] = [metadataOf(original), metadataOf(converted)]
  const parts = [
    ["kind", original.kind, converted.kind],
    ["name", before.name, after.name],
    ["namespace", before.namespace, after.namespace],
    ["UID", before.uid, after.uid]
  ] as const
  for (const [what, old, made] of parts) {
    if (textOf(old) !== textOf(made)) return `must have the same ${what}: ${textOf(old)} != ${textOf(made)}`
  }
  return undefined
}

/** Returns labels or annotations of a converted object, undefined for none, or what is wrong with them. */
const checkedMap = (
  name: "annotations" | "labels",
  made: unknown,
  old: unknown
): Result.Result<Fields | undefined, string> => {
  if (made === undefined || made === null) return Result.succeed(undefined)
  if (!isFields(made)) return Result.fail(`invalid metadata.${name} of type ${goTypeOf(made)} in converted object`)
  for (const [key, value] of Object.entries(made)) {
    if (typeof value === "string") continue
    return Result.fail(`metadata.${name}[${key}] must be a string, but is ${goTypeOf(value)} in converted object`)
  }
  if (sameValue(made, old)) return Result.succeed(made)
  const errors = new ErrorList()
  const map = made as Readonly<Record<string, string>>
  // Upstream's path has no plural.
  if (name === "labels") validateLabels(errors, map, "metadata.labels")
  else validateAnnotations(errors, map, "metadata.annotation")
  const texts = [...new Set(errors.all.map(fieldErrorText))]
  if (texts.length === 0) return Result.succeed(made)
  return Result.fail(texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`)
}

/**
 * Returns the converted object with the metadata of the original one, of which a conversion may change labels and
 * annotations only; fails with what is wrong with these. Upstream: restoreObjectMeta.
 */
export const withOriginalMetadata = (original: KubeObject, converted: Fields): Result.Result<KubeObject, string> => {
  if (converted.metadata === undefined) return Result.fail("missing metadata in converted object")
  if (!isFields(converted.metadata)) {
    return Result.fail(`invalid metadata of type ${goTypeOf(converted.metadata)} in converted object`)
  }
  const { annotations, labels, ...rest } = original.metadata
  const madeLabels = checkedMap("labels", converted.metadata.labels, labels)
  if (Result.isFailure(madeLabels)) return Result.fail(madeLabels.failure)
  const madeAnnotations = checkedMap("annotations", converted.metadata.annotations, annotations)
  if (Result.isFailure(madeAnnotations)) return Result.fail(madeAnnotations.failure)
  const metadata = {
    ...rest,
    ...(madeLabels.success === undefined ? {} : { labels: madeLabels.success }),
    ...(madeAnnotations.success === undefined ? {} : { annotations: madeAnnotations.success })
  }
  return Result.succeed({ ...converted, metadata } as Fields as Fields & KubeObject)
}
