export { type OpenApi, type OpenApiDocument, openApi } from "./OpenApi.ts"
export { type OpenApiKind, type OpenApiSubresource, openApiKindOf } from "./OpenApiKind.ts"
