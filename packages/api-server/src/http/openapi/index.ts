export { mergeSpecs } from "./mergeSpecs.ts"
export { type OpenApi, type OpenApiDocument, openApi, openApiProtobuf, written } from "./OpenApi.ts"
export { type OpenApiKind, openApiKindOf } from "./OpenApiKind.ts"
