export { type OpenApi, type OpenApiDocument, openApi, openApiProtobuf } from "./OpenApi.ts"
export { type OpenApiKind, openApiKindOf } from "./OpenApiKind.ts"
