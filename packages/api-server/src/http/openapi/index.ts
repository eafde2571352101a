export { type OpenApi, openApi, openApiV2Protobuf } from "./OpenApi.ts"
export { type OpenApiKind, openApiKindOf } from "./OpenApiKind.ts"
