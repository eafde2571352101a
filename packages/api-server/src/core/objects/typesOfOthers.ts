import type { MessageType } from "@rollcall/api/wire"

/*
 * The types of custom resources that are not of their schema. Their validation fails. Upstream:
 * apiextensions-apiserver/pkg/apiserver/customresource_handler.go, unstructuredSchemaCoercer.
 */

const ofMetadata = (type: MessageType): MessageType => {
  const metadata = type.fields.get("metadata")
  const { preserveUnknown: _, ...rest } = type
  return { ...rest, fields: new Map(metadata && [["metadata", metadata]]) }
}

/** Returns the type of an object of another kind, or of another group: any field besides its metadata is kept. */
export const typeOfOtherKind = (type: MessageType): MessageType => ({ ...ofMetadata(type), preserveUnknown: true })

/** Returns the type of an object of a version that is not defined: any field besides its metadata is pruned. */
export const typeOfUnknownVersion = ofMetadata
