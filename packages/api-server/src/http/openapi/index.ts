export { type OpenApi, type OpenApiDocument, openApi, openApiV2Protobuf } from "./OpenApi.ts"
export {
  type OnOddSchema,
  type OpenApiKind,
  type OpenApiSubresource,
  openApiKindOf,
  openApiKindOfVirtual
} from "./OpenApiKind.ts"
