export { type OpenApi, type OpenApiDocument, openApi } from "./OpenApi.ts"
export { type OpenApiKind, type OpenApiSubresource, openApiKindOf, openApiKindOfVirtual } from "./OpenApiKind.ts"
