// The documents of the served kinds.

export { documentInSteps, type OpenApi, type OpenApiDocument, type OpenApiOptions, openApi } from "./OpenApi.ts"
export type { Json, OnInvalidSchema, OpenApiKind, OpenApiSubresource } from "./OpenApiKind.ts"
export { openApiProtobuf } from "./openApiProtobuf.ts"
export type { OpenApiVersion } from "./Schemas.ts"

// The documents of other API servers.

export { mergeSpecs } from "./mergeSpecs.ts"
